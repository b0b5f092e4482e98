#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// *d_dot = the sum of a[i] * b[i] over the `size` doubles at d_a and at d_b; the sum of none is 0.
//
// Everything is in device memory; d_a and d_b are aligned as cudaMalloc aligns, and may be the
// same. size is from 0 to kMaxSize. d_workspace has kWorkspaceBytes and must be zeroed (cudaMemset)
// before it is used for the first time. A call leaves it fit for the next one; calls that may run
// at the same time need one each. Returns once the work is queued on `stream`, or once it is done;
// throws CudaError if it cannot be launched.
//
// Every stage of this chapter defines this function; each program links exactly one stage.
void dot_product(const double* d_a, const double* d_b, double* d_dot, std::size_t size,
                 void* d_workspace, cudaStream_t stream = nullptr);

// The order in which a stage adds. A sum of rounded numbers depends on it. A stage that does not
// define sum_order() gets it from harness/stage_facts/.
struct SumOrder {
  std::size_t longest_chain;  // the most additions that a product passes through on its way
  bool is_fixed;              // the same in every run, and so are the bits of the sum
};
SumOrder sum_order(std::size_t size);

constexpr std::size_t kMaxSize = std::size_t{1} << 38;  // 2.2 TB a vector: more than any GPU has
constexpr std::size_t kWorkspaceBytes = 256 * 1024;
