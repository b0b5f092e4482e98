// Stage 02: a tree in shared memory
//
// A block puts its terms into shared memory and adds them in pairs: 512 threads add a term of the
// upper half to one of the lower half, then 256, and so on, until one sum is left. Only that one is
// added atomically.
//
// Cost: one atomic addition per block, a 1024th. A thread of the first step makes two loads and a
// store in shared memory without a bank conflict, as neighbours use neighbouring words. 11 barriers
// a block, and from the second step on most of the warps only wait there. Next: 03_warp_shuffle.cu.

#include "reduction.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr std::size_t kThreads = 1024;  // a power of two, for the tree

__global__ void log_likelihood_shared_tree_kernel(const double* __restrict__ in, double* sum,
                                                  std::size_t size) {
  __shared__ double terms[kThreads];

  const std::size_t i = blockIdx.x * kThreads + threadIdx.x;
  terms[threadIdx.x] = i < size ? log_density(in[i]) : 0.0;  // 0 adds nothing to a sum

  __syncthreads();  // the first step reads what other threads wrote

  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) terms[threadIdx.x] += terms[threadIdx.x + half];
    __syncthreads();  // the next step reads what this one wrote
  }

  if (threadIdx.x == 0) atomicAdd(sum, terms[0]);
}

void log_likelihood(const double* d_in, double* d_sum, std::size_t size, void* /*d_workspace*/,
                    cudaStream_t stream) {
  CUDA_CHECK(cudaMemsetAsync(d_sum, 0, sizeof(double), stream));  // 0.0 has no bit set
  if (size == 0) return;
  const auto blocks = static_cast<unsigned>(ceil_div(size, kThreads));
  log_likelihood_shared_tree_kernel<<<blocks, kThreads, 0, stream>>>(d_in, d_sum, size);
  CUDA_CHECK(cudaGetLastError());
}

SumOrder sum_order(std::size_t size) {
  return {10 + ceil_div(size, kThreads), false};  // the tree's steps, and the atomic additions
}
