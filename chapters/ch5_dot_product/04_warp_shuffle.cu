// Stage 04: warp shuffles
//
// The lanes of a warp can read each other's registers. Five steps of __shfl_down_sync leave the sum
// of a warp in lane 0, without shared memory and without a barrier; the eight sums of a block's
// warps go through shared memory once.
//
// Cost: one barrier per block instead of nine; in shared memory a store per warp and a load per
// block. The loads from global memory are those of stage 03. Next: 05_vectorized.cu.

#include "dot_product.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <algorithm>
#include <cstddef>

constexpr std::size_t kThreads = 256;
constexpr unsigned kWarps = kThreads / 32;  // at most 32, so that one warp can add their sums
// Several times the number of blocks that an H200 runs at once (132 x 8). If one block is slow,
// other SMs run the remaining blocks.
constexpr std::size_t kMaxBlocks = 4096;

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
  if (warp == 0) value = warp_sum(lane < kWarps ? warp_sums[lane] : 0.0);
  return value;
}

__global__ void dot_warp_shuffle_kernel(const double* __restrict__ a, const double* __restrict__ b,
                                        std::size_t size, double* dot) {
  double thread_sum = 0.0;
  for (std::size_t i = blockIdx.x * kThreads + threadIdx.x; i < size; i += gridDim.x * kThreads) {
    thread_sum += a[i] * b[i];
  }

  const double sum_of_block = block_sum(thread_sum);
  if (threadIdx.x == 0) atomicAdd(dot, sum_of_block);
}

static std::size_t block_count(std::size_t size) {
  return std::clamp<std::size_t>(ceil_div(size, kThreads), 1, kMaxBlocks);
}

void dot_product(const double* d_a, const double* d_b, double* d_dot, std::size_t size,
                 void* /*d_workspace*/, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(block_count(size));
  CUDA_CHECK(cudaMemsetAsync(d_dot, 0, sizeof(double), stream));  // 0.0 has no bit set
  dot_warp_shuffle_kernel<<<blocks, kThreads, 0, stream>>>(d_a, d_b, size, d_dot);
  CUDA_CHECK(cudaGetLastError());
}

SumOrder sum_order(std::size_t size) {
  const std::size_t blocks = block_count(size);
  // A thread's elements; 5 shuffles in the warp and 5 in the block; the atomic additions.
  return {ceil_div(size, blocks * kThreads) + 10 + blocks, false};
}
