// Exercise 6: without the tree (15 minutes)
// Rewrite
//
// This is stage 03, with a tree in shared memory. In chapter 4 a warp adds without shared memory,
// and a block adds with a single barrier.
//
// TODO: let the block add with shuffles. (about 15 lines) Stage 04 does this, so solve the exercise
// before you read that stage.
//
// Goal: 512 wavefronts of shared loads instead of 19,968, and 4096 of shared stores, not 17,920.
// Check:   ./workbook check ch5_ex6
// Look:    ./workbook inspect ch5_ex6
//
// Predict first: a block has 256 threads in this chapter. How many sums of warps does it have, and
// what do the other lanes of the first warp add? On a GPU, measure the time before and after:
// ./workbook run ch5_ex6

#include "dot_product.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <algorithm>
#include <cstddef>

constexpr std::size_t kThreads = 256;  // a power of two, for the tree
// Several times the number of blocks that an H200 runs at once (132 x 8). If one block is slow,
// other SMs run the remaining blocks.
constexpr std::size_t kMaxBlocks = 4096;

__global__ void dot_shuffles_kernel(const double* __restrict__ a, const double* __restrict__ b,
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
  dot_shuffles_kernel<<<blocks, kThreads, 0, stream>>>(d_a, d_b, size, d_dot);
  CUDA_CHECK(cudaGetLastError());
}
