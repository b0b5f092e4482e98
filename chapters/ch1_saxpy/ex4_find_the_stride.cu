// Exercise 4: find the bug in the loop (5 minutes)
// Bug hunt
//
// Stage 03 with a bug. Up to 256 elements are correct. With more elements, some of them look as if
// a * x[i] had been added several times.
//
// TODO: find the bug and fix it (1 line).
//
// Goal: one thread computes each element, for every n and any number of blocks.
// Check:   ./workbook check ch1_ex4
// Look:    ./workbook inspect ch1_ex4
//
// Predict first: 2 blocks of 4 threads and 16 elements. Write down which elements thread 1 of each
// block computes in this loop, and which it should compute.

#include "saxpy.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <algorithm>

constexpr int kBlocksPerSm = 8;  // blocks of 256 threads: 2048 threads, all that an SM can hold

__global__ void saxpy_grid_stride_kernel(float a, const float* __restrict__ x,
                                         float* __restrict__ y, int n) {
  const int stride = blockDim.x;
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
