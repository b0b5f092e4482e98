#pragma once

#include "harness/operation.h"

#include "common/device_buffer.h"
#include "common/harness/driver.h"
#include "common/harness/host_vector.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// The code that the programs of this chapter share.

// Two vectors in one array in device memory, so that the read probe can read both in one run.
class DeviceVectors {
 public:
  DeviceVectors(const HostVector& a, const HostVector& b);
  const double* a() const { return both_.data(); }
  const double* b() const { return both_.data() + b_offset(size_); }
  void queue_probe();

 private:
  // b is aligned as cudaMalloc aligns: up to 31 doubles lie between the vectors.
  static std::size_t b_offset(std::size_t size) { return (size + 31) / 32 * 32; }

  std::size_t size_;
  DeviceBuffer<double> both_;
  DeviceBuffer<char> unused_;
};

// Two random vectors, and one number computed from them. The ceiling is a read probe of both.
class VectorsProblem : public TimedProblem {
 public:
  using Asked = std::optional<std::size_t>;
  static std::vector<OptionHelp> options();
  static Asked parse(Options& options);
  static Sizes<std::size_t> sizes(const Asked& asked, bool is_timed);
  static MemoryNeed memory_need(std::size_t size, bool is_timed);

  Measurement measurement(const Timings& timings) const override;

 protected:
  // Uses `threads` threads of the CPU to generate the vectors.
  VectorsProblem(std::size_t size, std::uint64_t seed, unsigned threads);

  const HostVector h_a_, h_b_;
  const std::string text_;  // "two vectors of 7 doubles"
};

// An operation on the GPU.
class DotProblem : public VectorsProblem {
 public:
  DotProblem(const Operation& operation, std::size_t size, std::uint64_t seed);
  void run() override;
  std::string check() override;
  Timings time() override;

 private:
  Operation operation_;
  Expected expected_;
  DeviceVectors d_vectors_;
  DeviceBuffer<double> d_out_;
  DeviceBuffer<char> d_workspace_;
};
