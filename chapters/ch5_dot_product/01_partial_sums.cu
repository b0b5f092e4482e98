// Stage 01: partial sums, and the host adds them up
//
// A thread adds up the products of its elements, a grid apart (the grid-stride loop of chapter 1). A
// block adds up the sums of its threads, in pairs, in shared memory. What is left is a partial sum
// a block. Blocks have no barrier between them, so the host waits for all of them, fetches their
// sums and adds them up.
//
// The shared memory is dynamic: the kernel does not say how much there is, the launch does, in its
// third place.
//
// Cost: the loads are ideal: 32 neighbouring doubles are 8 sectors a request. 8 bytes of result a
// block. But the data makes a journey: at most 32 KB to the host and 8 bytes back, and the GPU has
// nothing to do meanwhile. Next: 02_static_shared.cu.

#include "dot_product.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

constexpr std::size_t kThreads = 256;  // a power of two, for the tree
// Several times what an H200 runs at once (132 x 8): where one block is slow, others take its
// share.
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

static std::size_t block_count(std::size_t size) {
  return std::clamp<std::size_t>(ceil_div(size, kThreads), 1, kMaxBlocks);
}

void dot_product(const double* d_a, const double* d_b, double* d_dot, std::size_t size,
                 void* d_workspace, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(block_count(size));
  constexpr std::size_t kSharedBytes = kThreads * sizeof(double);
  dot_partial_sums_kernel<<<blocks, kThreads, kSharedBytes, stream>>>(
      d_a, d_b, size, static_cast<double*>(d_workspace));
  CUDA_CHECK(cudaGetLastError());

  std::vector<double> partial_sums(blocks);
  CUDA_CHECK(cudaMemcpyAsync(partial_sums.data(), d_workspace, blocks * sizeof(double),
                             cudaMemcpyDeviceToHost, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));  // the host reads what the blocks wrote
  const double dot = std::accumulate(partial_sums.begin(), partial_sums.end(), 0.0);
  CUDA_CHECK(cudaMemcpyAsync(d_dot, &dot, sizeof(double), cudaMemcpyHostToDevice, stream));
}

SumOrder sum_order(std::size_t size) {
  const std::size_t blocks = block_count(size);
  // A thread's elements, the tree's steps, the additions of the host.
  return {ceil_div(size, blocks * kThreads) + 8 + blocks, true};
}
