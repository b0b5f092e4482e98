// Stage 02: shared-memory tree: one atomicAdd per block
//
// Each block stores its terms in shared memory and adds them in pairs: 512 threads add a term of
// the upper half to a term of the lower half, then 256 threads do, and so on, until one sum is
// left. Only this sum is added atomically.
//
// Cost: one atomic addition per block, 1/1024 of stage 01. In the first step a thread executes two
// loads and a store in shared memory, without bank conflicts because consecutive lanes use
// consecutive words. There are 11 barriers per block, and from the second step on most warps only
// wait at them. Next: 03_warp_shuffle.cu.

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
  const unsigned blocks = ceil_div(size, kThreads);
  log_likelihood_shared_tree_kernel<<<blocks, kThreads, 0, stream>>>(d_in, d_sum, size);
  CUDA_CHECK(cudaGetLastError());
}
