// Exercise 4: sleeping lanes (8 minutes)
// Rewrite
//
// This tree starts from the leaves: thread 0 adds term 1 to term 0, thread 2 adds term 3 to term 2,
// and so on. Then thread 0 adds term 2, thread 4 adds term 6. The sum is correct. But when every
// second thread adds, every second lane of a warp sleeps. When every 32nd thread adds, only one
// lane of each warp is awake.
//
// TODO: let the first threads of the block do the work (2 lines).
//
// Goal: the shared-memory wavefronts of stage 02, a correct sum, and no race.
// Check:   ./workbook check ch4_ex4
// Look:    ./workbook inspect ch4_ex4
//
// Predict first: 1024 threads. How many warps have a thread that adds in steps 1, 5 and 6 of this
// tree? How many have one in a tree in which the first 512, 256, 128, ... threads add?

#include "reduction.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr std::size_t kThreads = 1024;  // a power of two, for the tree

__global__ void log_likelihood_tree_kernel(const double* __restrict__ in, double* sum,
                                           std::size_t size) {
  __shared__ double terms[kThreads];

  const std::size_t i = blockIdx.x * kThreads + threadIdx.x;
  terms[threadIdx.x] = i < size ? log_density(in[i]) : 0.0;  // 0 adds nothing to a sum

  __syncthreads();  // the first step reads what other threads wrote

  for (unsigned step = 1; step < kThreads; step *= 2) {
    if (threadIdx.x % (2 * step) == 0) terms[threadIdx.x] += terms[threadIdx.x + step];
    __syncthreads();  // the next step reads what this one wrote
  }

  if (threadIdx.x == 0) atomicAdd(sum, terms[0]);
}

void log_likelihood(const double* d_in, double* d_sum, std::size_t size, void* /*d_workspace*/,
                    cudaStream_t stream) {
  CUDA_CHECK(cudaMemsetAsync(d_sum, 0, sizeof(double), stream));  // 0.0 has no bit set
  if (size == 0) return;
  const unsigned blocks = ceil_div(size, kThreads);
  log_likelihood_tree_kernel<<<blocks, kThreads, 0, stream>>>(d_in, d_sum, size);
  CUDA_CHECK(cudaGetLastError());
}
