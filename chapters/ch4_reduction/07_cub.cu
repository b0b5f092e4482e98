// Stage 07: CUB
//
// The library version, for comparison: a reduction of transformed values. Called without memory, it
// returns the size of the workspace that it needs. CUB comes with the CUDA Toolkit, as headers.
//
// Cost: two launches: the first leaves one sum per block, the second adds these sums. CUB promises
// the same bits in every run on one GPU, but not on a different GPU, and no order of the additions.
//
// Requires: CUB, CUDA 12.5

#include "reduction.h"

#include "common/cuda_check.h"

#include <cub/device/device_reduce.cuh>
#include <cuda/std/functional>

#include <cstddef>
#include <string>

struct LogDensity {
  __host__ __device__ double operator()(double x) const { return log_density(x); }
};

static cudaError_t reduce(void* d_workspace, std::size_t& workspace_bytes, const double* d_in,
                          double* d_sum, std::size_t size, cudaStream_t stream) {
  return cub::DeviceReduce::TransformReduce(d_workspace, workspace_bytes, d_in, d_sum, size,
                                            cuda::std::plus<>{}, LogDensity{}, 0.0, stream);
}

void log_likelihood(const double* d_in, double* d_sum, std::size_t size, void* d_workspace,
                    cudaStream_t stream) {
  std::size_t needed_bytes = 0;
  CUDA_CHECK(reduce(nullptr, needed_bytes, d_in, d_sum, size, stream));
  if (needed_bytes > kWorkspaceBytes) {
    const std::string needed = "07_cub.cu: CUB needs " + std::to_string(needed_bytes) +
                               " bytes of workspace here: raise kWorkspaceBytes in reduction.h.";
    throw CudaError(cudaErrorMemoryAllocation, needed.c_str());
  }
  CUDA_CHECK(reduce(d_workspace, needed_bytes, d_in, d_sum, size, stream));
}

SumOrder sum_order(std::size_t size) {
  return {size, true};  // the longest chain possible
}
