// Exercise 1: find the race
// Bug hunt
//
// The tree of stage 02, as it has been printed in teaching material: one line is missing. On a GPU
// it gives right sums most of the time. Two threads use the same element of `terms`, one of them
// writes it, and nothing says which comes first.
//
// TODO: find the race and close it (1 line). Then say in the comment beside it what it protects.
//
// Goal: no race, in any order of the threads. The barrier that is there stays.
// Check:   ./workbook check ch4_ex1
// Look:    ./workbook inspect ch4_ex1
//
// Predict first: thread 0 is in the first warp, and adds what thread 512 has written. In which warp
// is that, and who says that it has been there yet? Then let the simulator tell.

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
