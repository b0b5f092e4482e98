// Solution of exercise 5: an eighth of the sectors
//
// In one iteration of the loop the threads of a warp read 32 floats that are 32 floats apart: 128
// bytes, so each float is in a different sector. With a stride of the whole grid they read 32
// consecutive floats, 4 sectors. A thread still computes 32 elements, and all threads together go
// through the array from front to back. A core of a CPU is faster on a contiguous chunk: it works
// alone, and its next element is in the cache line that it has just loaded.
//
// Cost: 4 sectors per request, an eighth of the cost before.

#include "saxpy.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

constexpr int kElements = 32;  // per thread

__global__ void saxpy_32_elements_kernel(float a, const float* __restrict__ x,
                                         float* __restrict__ y, int n) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int stride = gridDim.x * blockDim.x;  // threads of the grid
  for (int i = thread; i < n; i += stride) {
    y[i] = a * x[i] + y[i];
  }
}

void saxpy(float a, const float* d_x, float* d_y, int n, int threads, cudaStream_t stream) {
  if (n == 0) return;  // a grid of 0 blocks is an error
  const int blocks = ceil_div(ceil_div(n, kElements), threads);
  saxpy_32_elements_kernel<<<blocks, threads, 0, stream>>>(a, d_x, d_y, n);
  CUDA_CHECK(cudaGetLastError());
}
