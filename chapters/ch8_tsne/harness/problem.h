#pragma once

#include "distances.h"
#include "error_bound.h"
#include "harness/host_points.h"

#include "common/device_buffer.h"
#include "common/harness/driver.h"
#include "common/harness/relative_errors.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// The code that the programs of this chapter share.

// The number of vectors and their source: a file, which has been read, or random numbers, in
// `clusters` groups or, with 0 groups, anywhere.
struct PointsSize {
  int count, dimensions;
  Layout layout;
  int clusters;
  std::shared_ptr<const HostPoints> file;  // null: random numbers
};

// Squared distances of all pairs. The ceiling is issue_rate().
class DistancesProblem : public TimedProblem {
 public:
  struct Asked {
    std::optional<int> count, dimensions;
    Layout layout;
    int clusters;
    std::optional<std::string> input;
  };
  static std::vector<OptionHelp> options();
  static Asked parse(Options& options);
  // Throws UsageError if a file cannot be read, or its numbers are out of the range of the stages.
  static Sizes<PointsSize> sizes(const Asked& asked, bool is_timed);
  std::string check() override;
  Measurement measurement(const Timings& timings) const override;

 protected:
  // The memory for the vectors, their distances and a workspace.
  static MemoryNeed need_with(const PointsSize& size, std::size_t workspace_bytes);

  DistancesProblem(const PointsSize& size, std::uint64_t seed);

  void queue_ceiling();
  // The distances of the last run. Throws std::runtime_error if the run changed anything else.
  virtual std::vector<float> distances() = 0;
  virtual ErrorBound bound() const = 0;

  const HostPoints points_;

 private:
  RelativeErrors errors_{};  // of the last check, relative to the distances
  DeviceBuffer<float> d_unused_{1};
  double issued_ = 0;  // operations of the ceiling
};

// Throws std::runtime_error if a distance is missing or wrong. It checks that all are numbers, and
// compares those of some vectors with the reference, in each tile that a stage can have; with few
// vectors, all of them. Returns the errors, relative to the distances.
RelativeErrors require_right(const std::vector<float>& distances, const HostPoints& points,
                             const ErrorBound& bound);
