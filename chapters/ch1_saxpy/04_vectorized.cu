// Stage 04: vectorized
//
// Stage 03 with 16 bytes per access: a thread moves four floats at once, a float4. The last n % 4
// elements are computed as in stage 03. If x or y does not start at a multiple of 16 bytes, all
// elements are computed as in stage 03.
//
// Cost: a request is 512 bytes in 16 sectors; there are a quarter of the requests of stage 03. A
// thread requests 32 bytes before it uses any, instead of 8. Next: 05_thrust.cu.

#include "saxpy.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <algorithm>
#include <cstdint>

constexpr int kBlocksPerSm = 8;  // blocks of 256 threads: 2048 threads, all that an SM can hold

__global__ void saxpy_vectorized_kernel(float a, const float* __restrict__ x, float* __restrict__ y,
                                        int n, int vectors) {
  const float4* const x4 = reinterpret_cast<const float4*>(x);
  float4* const y4 = reinterpret_cast<float4*>(y);
  const int stride = gridDim.x * blockDim.x;  // threads of the grid
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = thread; i < vectors; i += stride) {
    const float4 vx = x4[i];
    const float4 vy = y4[i];
    y4[i] = make_float4(a * vx.x + vy.x, a * vx.y + vy.y, a * vx.z + vy.z, a * vx.w + vy.w);
  }
  for (int i = 4 * vectors + thread; i < n; i += stride) {
    y[i] = a * x[i] + y[i];
  }
}

static bool starts_a_vector(const float* d_array) {
  return reinterpret_cast<std::uintptr_t>(d_array) % sizeof(float4) == 0;
}

void saxpy(float a, const float* d_x, float* d_y, int n, int threads, cudaStream_t stream) {
  if (n == 0) return;  // a grid of 0 blocks is an error
  int sm_count = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, 0));
  const int blocks = std::min(ceil_div(n, threads), kBlocksPerSm * sm_count);
  const int vectors = starts_a_vector(d_x) && starts_a_vector(d_y) ? n / 4 : 0;
  saxpy_vectorized_kernel<<<blocks, threads, 0, stream>>>(a, d_x, d_y, n, vectors);
  CUDA_CHECK(cudaGetLastError());
}
