#pragma once

#include "common/device_buffer.h"
#include "common/harness/measurement.h"
#include "common/harness/program.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

// What the programs of this chapter share.

constexpr std::size_t kCheckSize = 1'000'003;    // a prime: no block, tile or pair divides it
constexpr std::size_t kTimedSize = 100'000'000;  // a vector is 13 times the L2 cache of an H200

// What a number must be, and how far off it may be.
struct Expected {
  double value, tolerance;

  // Throws std::runtime_error, with `what` it is the result of, if `actual` is wrong; NaN is.
  void check(double actual, const std::string& what) const;
};

// What a program does with two vectors: make one double of them.
struct Operation {
  // As dot_product() in dot_product.h.
  void (*run)(const double* d_a, const double* d_b, double* d_out, std::size_t size,
              void* d_workspace, cudaStream_t stream);
  Expected (*expected)(const double* a, const double* b, std::size_t size);
};

// Random doubles in the host's memory, made and first touched by `threads` threads: a computer with
// several processors keeps memory near the core that touched it first. The same ones for the same
// seed, whatever the number of threads.
class HostVector {
 public:
  HostVector(std::size_t size, std::uint64_t seed, unsigned threads);
  const double* data() const { return values_.get(); }
  std::size_t size() const { return size_; }

 private:
  std::unique_ptr<double[]> values_;
  std::size_t size_;
};

// Two vectors in device memory, one behind the other, so that the read probe can read both in one
// run.
class DeviceVectors {
 public:
  DeviceVectors(const HostVector& a, const HostVector& b);
  const double* a() const { return both_.data(); }
  const double* b() const { return both_.data() + b_offset(size_); }
  std::size_t size() const { return size_; }
  double bytes() const { return 2.0 * static_cast<double>(size_ * sizeof(double)); }
  Timing time_probe();
  void run_probe();

 private:
  // b is aligned as cudaMalloc aligns: up to 31 doubles lie between the vectors.
  static std::size_t b_offset(std::size_t size) { return (size + 31) / 32 * 32; }

  std::size_t size_;
  DeviceBuffer<double> both_;
  DeviceBuffer<char> unused_;
};

// The main() of a program that takes a --size from 1 to `most`; returns the exit code
// (common/harness/program.h).
int run_with_size(int argc, const char* const* argv, std::size_t most, const char* meaning,
                  const std::function<void(const Program&, std::optional<std::size_t>)>& run);

// Throws UsageError if two vectors of `size` doubles do not fit the device or the host.
void require_memory_for(std::size_t size, const DeviceInfo& device);

// Of an operation on two vectors of `size` doubles beside a read probe of both.
Measurement measurement(std::size_t size, const Timing& own, const Timing& probe);

// The main() of every stage: checks the operation, then times it, on a GPU, beside the read probe.
int run_program(const Operation& operation, int argc, const char* const* argv);
