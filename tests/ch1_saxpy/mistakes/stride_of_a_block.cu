// Each block strides by its own threads only: elements are done again and again.
// Rejected by: race: saxpy_grid_stride_kernel
// Rejected by: MatchesReference/n10007_threads100.*elements are wrong

#include "saxpy.h"

#include "common/cuda_check.h"

__global__ void saxpy_grid_stride_kernel(float a, const float* __restrict__ x,
                                         float* __restrict__ y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x) {
    y[i] = a * x[i] + y[i];
  }
}

void saxpy(float a, const float* d_x, float* d_y, int n, int threads, cudaStream_t stream) {
  if (n == 0) return;  // a grid of 0 blocks is an error
  const int blocks = 2;
  saxpy_grid_stride_kernel<<<blocks, threads, 0, stream>>>(a, d_x, d_y, n);
  CUDA_CHECK(cudaGetLastError());
}
