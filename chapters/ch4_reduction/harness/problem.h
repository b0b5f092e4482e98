#pragma once

#include "harness/operation.h"

#include "common/device_buffer.h"
#include "common/harness/driver.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Code that the programs of this chapter share.

// The option of the command line: how many doubles.
struct SizeOption {
  using Asked = std::optional<std::size_t>;
  static std::vector<OptionHelp> options();
  static Asked parse(Options& options);
  static Sizes<std::size_t> sizes(const Asked& asked, bool is_timed);
};

// The memory for `arrays` arrays of `size` doubles.
MemoryNeed arrays_of(std::size_t size, int arrays);

// A program's time next to that of a read probe of `size` doubles.
Measurement beside_probe(std::size_t size, const TimedWork& own, const Timing& probe);

// An operation on random doubles from the standard normal distribution. The ceiling is the read
// probe.
class ReductionProblem : public TimedProblem, public SizeOption {
 public:
  static MemoryNeed memory_need(std::size_t size, bool) { return arrays_of(size, /*arrays=*/1); }

  ReductionProblem(const Operation& operation, std::size_t size, std::uint64_t seed);
  void run() override;
  std::string check() override;
  Timings time() override;
  Measurement measurement(const Timings& timings) const override;

 private:
  Operation operation_;
  std::vector<double> h_in_, expected_;
  double tolerance_;
  DeviceBuffer<double> d_in_, d_out_;
  DeviceBuffer<char> d_workspace_;
};
