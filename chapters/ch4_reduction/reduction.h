#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// The logarithm of the standard normal density at x, without the constant -log(2 pi) / 2.
__host__ __device__ inline double log_density(double x) { return -0.5 * x * x; }

// *d_sum = the sum of log_density(x) over the `size` doubles x at d_in; for size 0 it is 0.
//
// Everything is in device memory; d_in is aligned as by cudaMalloc. size is from 0 to kMaxSize.
// d_workspace has kWorkspaceBytes and must be zeroed (cudaMemset) before its first use. A call
// leaves it ready for the next call; concurrent calls need one workspace each. Returns once the
// work is queued on `stream`; throws CudaError if it cannot be launched.
//
// Every stage of this chapter defines this function; each program links exactly one stage.
void log_likelihood(const double* d_in, double* d_sum, std::size_t size, void* d_workspace,
                    cudaStream_t stream = nullptr);

// The order of a stage's additions. A sum of rounded numbers depends on it. A stage that does not
// define sum_order() gets it from stage_facts/ or, at worst, from reduction.cpp.
struct SumOrder {
  std::size_t longest_chain;  // the largest number of additions that a term passes through
  bool is_fixed;              // the same order, and so the same bits, in every run
};
SumOrder sum_order(std::size_t size);

constexpr std::size_t kMaxSize = std::size_t{1} << 38;  // 2.2 TB: more than any GPU's memory
constexpr std::size_t kWorkspaceBytes = 256 * 1024;
