// Stage 03: warp shuffles
//
// The lanes of a warp can read each other's registers: __shfl_down_sync returns the value of the
// lane that is `offset` lanes further on. Five steps leave the sum of 32 terms in lane 0, without
// shared memory and without a barrier, because a shuffle itself waits for all lanes of the warp.
// The 32 sums of the warps go through shared memory once, and the first warp adds them in the same
// way.
//
// Cost: one barrier per block instead of 11, and in shared memory one store per warp and one load.
// Global loads and atomic additions do not change from stage 02. Next: 04_grid_stride.cu.

#include "reduction.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr std::size_t kThreads = 1024;
constexpr unsigned kWarps = kThreads / 32;
static_assert(kWarps == 32);  // so that one warp can add their sums, one per lane

// The sum over the warp, in lane 0.
__device__ double warp_sum(double value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_down_sync(0xffffffff, value, offset);
  }
  return value;
}

// The sum over the block, in thread 0.
__device__ double block_sum(double value) {
  __shared__ double warp_sums[kWarps];
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;

  value = warp_sum(value);
  if (lane == 0) warp_sums[warp] = value;
  __syncthreads();  // the first warp reads what all warps wrote
  if (warp == 0) value = warp_sum(warp_sums[lane]);
  return value;
}

__global__ void log_likelihood_warp_shuffle_kernel(const double* __restrict__ in, double* sum,
                                                   std::size_t size) {
  const std::size_t i = blockIdx.x * kThreads + threadIdx.x;
  const double term = i < size ? log_density(in[i]) : 0.0;  // no early return: all lanes shuffle

  const double sum_of_block = block_sum(term);
  if (threadIdx.x == 0) atomicAdd(sum, sum_of_block);
}

void log_likelihood(const double* d_in, double* d_sum, std::size_t size, void* /*d_workspace*/,
                    cudaStream_t stream) {
  CUDA_CHECK(cudaMemsetAsync(d_sum, 0, sizeof(double), stream));  // 0.0 has no bit set
  if (size == 0) return;
  const unsigned blocks = ceil_div(size, kThreads);
  log_likelihood_warp_shuffle_kernel<<<blocks, kThreads, 0, stream>>>(d_in, d_sum, size);
  CUDA_CHECK(cudaGetLastError());
}
