// The fourth component takes the third of y.
// Rejected by: misaligned: saxpy_vectorized_kernel
// Rejected by: MatchesReference/n4_threads256.*\b1 of 4 elements.*first is y\[3\]

#include "saxpy.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

__global__ void saxpy_vectorized_kernel(float a, const float* __restrict__ x, float* __restrict__ y,
                                        int n) {
  const int vectors = n / 4;
  const float4* const x4 = reinterpret_cast<const float4*>(x);
  float4* const y4 = reinterpret_cast<float4*>(y);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < vectors) {
    const float4 vx = x4[i];
    const float4 vy = y4[i];
    y4[i] = make_float4(a * vx.x + vy.x, a * vx.y + vy.y, a * vx.z + vy.z, a * vx.w + vy.z);
  }
  if (4 * vectors + i < n) {
    y[4 * vectors + i] = a * x[4 * vectors + i] + y[4 * vectors + i];
  }
}

void saxpy(float a, const float* d_x, float* d_y, int n, int threads, cudaStream_t stream) {
  if (n == 0) return;  // a grid of 0 blocks is an error
  const int blocks = ceil_div(n, threads);
  saxpy_vectorized_kernel<<<blocks, threads, 0, stream>>>(a, d_x, d_y, n);
  CUDA_CHECK(cudaGetLastError());
}
