// Exercise 3: any block size
//
// The tree of stage 02 needs a power of two: halving 200 gives 100, 50, 25, and 12 at last, and the
// 25th term is lost. This one is for any number of threads, which the caller chooses; the size of
// the shared memory is therefore known only to the launch. The step of the tree is missing.
//
// Goal: right sums with blocks of 1, 3, 96, 200 or 1000 threads, and no race.
// Check:   ./workbook check ch4_ex3
// Look:    ./workbook inspect ch4_ex3
//
// Predict first: 200 threads. How many terms are left after each step, and how many steps are
// there? Which of them leave a term without a partner?

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
    // TODO: add the upper half of the terms to the lower half, with one thread a pair. Of an odd
    // number the middle one has no partner: it must neither be lost nor added twice. Each of the
    // `half` first threads may take part. (1 line)
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
