// Solution of exercise 4: find the bug in the loop
//
// The stride was the number of threads in a block, as in stage 01, where there is only one block.
// With two blocks of 4 threads, thread 1 of block 0 computed 1, 5, 9, 13, and thread 1 of block 1
// computed 5, 9, 13: two threads computed elements 5, 9 and 13, in no defined order. The next
// element of a thread must be a whole grid away: 1, 9 for one thread, and 5, 13 for the other.
//
// Cost: 4 sectors per request, as in stage 03.

#include "saxpy.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <algorithm>

constexpr int kBlocksPerSm = 8;  // blocks of 256 threads: 2048 threads, all that an SM can hold

__global__ void saxpy_grid_stride_kernel(float a, const float* __restrict__ x,
                                         float* __restrict__ y, int n) {
  const int stride = gridDim.x * blockDim.x;  // threads of the grid
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    y[i] = a * x[i] + y[i];
  }
}

void saxpy(float a, const float* d_x, float* d_y, int n, int threads, cudaStream_t stream) {
  if (n == 0) return;  // a grid of 0 blocks is an error
  int sm_count = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, 0));
  const int blocks = std::min(ceil_div(n, threads), kBlocksPerSm * sm_count);
  saxpy_grid_stride_kernel<<<blocks, threads, 0, stream>>>(a, d_x, d_y, n);
  CUDA_CHECK(cudaGetLastError());
}
