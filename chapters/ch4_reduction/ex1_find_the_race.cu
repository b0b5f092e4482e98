// Exercise 1: find the race (8 minutes)
// Bug hunt
//
// This is the tree of stage 02 as printed in teaching material: one line is missing. On a GPU the
// sum is correct most of the time. Two threads access the same element of `terms`, one of them
// writes it, and nothing determines which access comes first.
//
// TODO: find the race and fix it (1 line). Write in a comment next to it what the line protects.
//
// Goal: no race, in any order of the threads. Keep the barrier that is already there.
// Check:   ./workbook check ch4_ex1
// Look:    ./workbook inspect ch4_ex1
//
// Predict first: thread 0 is in the first warp, and adds the term of thread 512. In which warp is
// thread 512, and what makes sure that it has already stored this term? Then run the check.

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
