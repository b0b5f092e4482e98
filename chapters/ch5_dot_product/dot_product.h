#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// *d_dot = the sum of a[i] * b[i] over the `size` doubles at d_a and at d_b; an empty sum is 0.
//
// Everything is in device memory; d_a and d_b are aligned as cudaMalloc aligns, and can be the same
// pointer. size is from 0 to kMaxSize. d_workspace has kWorkspaceBytes and must be zeroed
// (cudaMemset) before its first use. A call leaves it ready for the next one; concurrent calls need
// one workspace each. Returns once the work is queued on `stream`, or once it is done; throws
// CudaError if it cannot be launched.
//
// Every stage of this chapter defines this function; each program links exactly one stage.
void dot_product(const double* d_a, const double* d_b, double* d_dot, std::size_t size,
                 void* d_workspace, cudaStream_t stream = nullptr);

// The order in which a stage adds: the rounding error depends on it. If a stage does not define
// sum_order(), stage_facts/ or vectors_operation.h does.
struct SumOrder {
  std::size_t longest_chain;  // the most additions that a product passes through
  bool is_fixed;              // the same in every run: the result is deterministic
};
SumOrder sum_order(std::size_t size);

constexpr std::size_t kMaxSize = std::size_t{1} << 38;  // 2.2 TB per vector: more than any GPU has
constexpr std::size_t kWorkspaceBytes = 256 * 1024;
