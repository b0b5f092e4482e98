// Stage 03: atomic finish
//
// The GPU no longer waits for the host: each block adds its sum to the result with atomicAdd, which
// reads, adds and writes in one step, so that no addition is lost. The order of the blocks is not
// defined, and the last bits of the sum depend on this order.
//
// Cost: the memset that sets the result to 0, which is work in the stream, and at most 4096 atomic
// additions to one address. No copies. Next: 04_warp_shuffle.cu.

#include "dot_product.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <algorithm>
#include <cstddef>

constexpr std::size_t kThreads = 256;  // a power of two, for the tree
// Several times the number of blocks that an H200 runs at once (132 x 8). If one block is slow,
// other SMs run the remaining blocks.
constexpr std::size_t kMaxBlocks = 4096;

__global__ void dot_atomic_finish_kernel(const double* __restrict__ a, const double* __restrict__ b,
                                         std::size_t size, double* dot) {
  __shared__ double sums[kThreads];

  double thread_sum = 0.0;
  for (std::size_t i = blockIdx.x * kThreads + threadIdx.x; i < size; i += gridDim.x * kThreads) {
    thread_sum += a[i] * b[i];
  }
  sums[threadIdx.x] = thread_sum;

  __syncthreads();  // the first step reads what other threads wrote

  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();  // the next step reads what this one wrote
  }

  if (threadIdx.x == 0) atomicAdd(dot, sums[0]);
}

void dot_product(const double* d_a, const double* d_b, double* d_dot, std::size_t size,
                 void* /*d_workspace*/, cudaStream_t stream) {
  const unsigned blocks = size == 0 ? 1 : std::min(ceil_div(size, kThreads), kMaxBlocks);
  CUDA_CHECK(cudaMemsetAsync(d_dot, 0, sizeof(double), stream));  // 0.0 has no bit set
  dot_atomic_finish_kernel<<<blocks, kThreads, 0, stream>>>(d_a, d_b, size, d_dot);
  CUDA_CHECK(cudaGetLastError());
}
