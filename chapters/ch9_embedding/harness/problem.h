#pragma once

#include "embedding.h"
#include "harness/device_state.h"
#include "harness/host_affinities.h"
#include "harness/reference.h"

#include "common/device_buffer.h"
#include "common/harness/driver.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// The common part of this chapter's programs.

// The number of points, and of iterations of the descent.
struct EmbeddingSize {
  int count, iterations;
};

// A descent with generated affinities. The ceiling is pair_rate() or pair_once_rate().
class EmbeddingProblem : public TimedProblem {
 public:
  struct Asked {
    std::optional<int> count, iterations;
  };
  static std::vector<OptionHelp> options();
  static Asked parse(Options& options);
  static Sizes<EmbeddingSize> sizes(const Asked& asked, bool is_timed);
  std::string check() override;
  Measurement measurement(const Timings& timings) const override;

 protected:
  static MemoryNeed need_with(const EmbeddingSize& size, bool has_matrix,
                              std::size_t workspace_bytes);

  EmbeddingProblem(const EmbeddingSize& size, std::uint64_t seed, bool has_matrix,
                   bool computes_pairs_once, double slack);

  void queue_ceiling();
  // The gradient at a state of the descent, in an iteration without exaggeration.
  virtual std::vector<double> gradient_of(const ReferenceMap& map) = 0;

  const EmbeddingSize size_;
  const bool computes_pairs_once_;
  const double slack_;
  const Schedule schedule_;
  const HostAffinities affinities_;
  const DeviceAffinities d_affinities_;
  DeviceMap d_map_;
  int iterations_done_ = 0;

 private:
  const ReferenceMap start_;
  DeviceBuffer<float> d_unused_{1};
  double ceiling_pairs_ = 0;
};

// The schedule of published implementations: a learning rate of count / 48, at least 50; momenta of
// 0.5 and 0.8; attraction exaggerated 12 times in the first quarter of the iterations.
Schedule usual_schedule(int count, int iterations);

// Throws std::runtime_error, with "WRONG", if the gradient of one of the chosen points is further
// from the reference than the rounding of floats and an interpolation with that slack explain: see
// gradient_tolerances(). `what` names the state.
void require_gradient(const std::vector<double>& gradient, const HostAffinities& affinities,
                      const std::vector<double>& points, double exaggeration, double slack,
                      const std::vector<int>& chosen, const std::string& what);
