// Exercise 1: add two vectors (5 minutes)
//
// z = x + y, one thread per element. The launch is complete; the kernel is empty. A thread can read
// the number of its block, blockIdx.x, its number in the block, threadIdx.x, and the number of
// threads per block, blockDim.x. There may be more threads than elements.
//
// Goal: the correct result for every n, and 4 sectors per request.
// Check:   ./workbook check ch1_ex1
// Look:    ./workbook inspect ch1_ex1
//
// Predict first: how many threads are launched for 100003 elements in blocks of 256? What do the
// threads without an element do, if nothing stops them? Try it without a guard.

#include "vector_add.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

__global__ void vector_add_kernel(const float* __restrict__ x, const float* __restrict__ y,
                                  float* __restrict__ z, int n) {
  // TODO: which element is this thread's? And if there is such an element, set it. (about 4 lines)
}

void vector_add(const float* d_x, const float* d_y, float* d_z, int n, int threads,
                cudaStream_t stream) {
  if (n == 0) return;  // a grid of 0 blocks is an error
  const int blocks = ceil_div(n, threads);
  vector_add_kernel<<<blocks, threads, 0, stream>>>(d_x, d_y, d_z, n);
  CUDA_CHECK(cudaGetLastError());
}
