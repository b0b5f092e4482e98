// Exercise 3, solved: a tree for any number of threads
//
// Of `left` terms the last left - half are added to the first ones. Where `left` is odd, half is
// one more than that, and the term in the middle has no partner: thread half - 1 would find it at
// index 2 * half - 1 = left, which is none of them.

#include "block_size.h"

#include "reduction.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

__global__ void log_likelihood_by_blocks_kernel(const double* __restrict__ in, double* sum,
                                                std::size_t size) {
  extern __shared__ double terms[];  // one a thread; the launch says how many

  const std::size_t threads = blockDim.x;  // as a std::size_t, so that the product cannot wrap
  const std::size_t i = blockIdx.x * threads + threadIdx.x;
  terms[threadIdx.x] = i < size ? log_density(in[i]) : 0.0;  // 0 adds nothing to a sum

  __syncthreads();  // the first step reads what other threads wrote

  unsigned left = blockDim.x;  // terms that are still to be added up: the first ones
  while (left > 1) {
    const unsigned half = (left + 1) / 2;  // rounded up: of an odd number the middle one waits
    if (threadIdx.x + half < left) terms[threadIdx.x] += terms[threadIdx.x + half];
    left = half;
    __syncthreads();  // the next step reads what this one wrote
  }

  if (threadIdx.x == 0) atomicAdd(sum, terms[0]);
}

void log_likelihood_by_blocks(const double* d_in, double* d_sum, std::size_t size, int threads,
                              cudaStream_t stream) {
  CUDA_CHECK(cudaMemsetAsync(d_sum, 0, sizeof(double), stream));  // 0.0 has no bit set
  if (size == 0) return;
  const std::size_t block = threads;
  const unsigned blocks = ceil_div(size, block);
  const std::size_t shared_bytes = block * sizeof(double);
  log_likelihood_by_blocks_kernel<<<blocks, threads, shared_bytes, stream>>>(d_in, d_sum, size);
  CUDA_CHECK(cudaGetLastError());
}
