// Solution of exercise 2: too many threads
//
// A block can have at most 1024 threads. A launch with more does not start, and it reports nothing,
// because a launch is not a function and returns no value. cudaGetLastError() returns the reason,
// cudaErrorInvalidValue (in older versions of CUDA cudaErrorInvalidConfiguration), and CUDA_CHECK
// turns it into an exception. The same check covers every other reason to refuse a launch: a grid
// of 0 blocks, too much shared memory.
//
// cudaDeviceSynchronize() does not report this error: it waits for kernels, and no kernel ran.

#include "saxpy.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

__global__ void saxpy_many_blocks_kernel(float a, const float* __restrict__ x,
                                         float* __restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = a * x[i] + y[i];
  }
}

void saxpy(float a, const float* d_x, float* d_y, int n, int threads, cudaStream_t stream) {
  if (n == 0) return;  // a grid of 0 blocks is an error
  const int blocks = ceil_div(n, threads);
  saxpy_many_blocks_kernel<<<blocks, threads, 0, stream>>>(a, d_x, d_y, n);
  CUDA_CHECK(cudaGetLastError());
}
