// Stage 02: many blocks
//
// Each element has its own thread, so the number of blocks grows with n. The GPU distributes the
// blocks over all SMs; when one block ends, the next one starts.
//
// Cost: 4 sectors per request, as in stage 01. Each thread loads 8 bytes and stores 4. The last
// block may have more threads than it needs, so each thread checks that its element exists.
// Next: 03_grid_stride.cu.

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
