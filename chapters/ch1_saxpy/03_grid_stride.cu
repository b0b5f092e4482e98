// Stage 03: grid-stride loop
//
// The loop of stage 01 with the index of stage 02: the whole grid strides through the arrays, so
// any number of blocks is enough. This stage launches as many blocks as the GPU can hold, so all
// blocks start at once and stay until the end.
//
// Cost: 4 sectors per request. The guard is the loop's condition. A thread loads its next elements
// only after it has finished the current ones, so no more bytes are in flight than in stage 02.
// Next: 04_vectorized.cu.

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
