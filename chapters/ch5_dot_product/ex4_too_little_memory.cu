// Exercise 4: too little memory (5 minutes)
// Bug hunt
//
// This is stage 01 with a bug in its launch. The result may be correct on one GPU and wrong on
// another GPU.
//
// TODO: find the bug and fix it. (1 line)
//
// Goal: a correct result, and 2048 bytes of shared memory per block.
// Check:   ./workbook check ch5_ex4
// Look:    ./workbook inspect ch5_ex4
//
// Predict first: how many doubles does a block keep in shared memory, and how many bytes is that?
// Which is the first thread whose double is outside the memory that the launch requests?

#include "dot_product.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

constexpr std::size_t kThreads = 256;  // a power of two, for the tree
// Several times the number of blocks that an H200 runs at once (132 x 8). If one block is slow,
// other SMs run the remaining blocks.
constexpr std::size_t kMaxBlocks = 4096;
static_assert(kMaxBlocks * sizeof(double) <= kWorkspaceBytes);

__global__ void dot_partial_sums_kernel(const double* __restrict__ a, const double* __restrict__ b,
                                        std::size_t size, double* partial_sums) {
  extern __shared__ double sums[];  // one per thread; the launch gives the size

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

  if (threadIdx.x == 0) partial_sums[blockIdx.x] = sums[0];
}

void dot_product(const double* d_a, const double* d_b, double* d_dot, std::size_t size,
                 void* d_workspace, cudaStream_t stream) {
  const unsigned blocks = size == 0 ? 1 : std::min(ceil_div(size, kThreads), kMaxBlocks);
  constexpr std::size_t kSharedBytes = kThreads;
  dot_partial_sums_kernel<<<blocks, kThreads, kSharedBytes, stream>>>(
      d_a, d_b, size, static_cast<double*>(d_workspace));
  CUDA_CHECK(cudaGetLastError());

  std::vector<double> partial_sums(blocks);
  CUDA_CHECK(cudaMemcpyAsync(partial_sums.data(), d_workspace, blocks * sizeof(double),
                             cudaMemcpyDeviceToHost, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));  // the host reads what the blocks wrote
  const double dot = std::accumulate(partial_sums.begin(), partial_sums.end(), 0.0);
  // The call reads `dot` before it returns, because `dot` is not in pinned memory.
  CUDA_CHECK(cudaMemcpyAsync(d_dot, &dot, sizeof(double), cudaMemcpyHostToDevice, stream));
}
