#include "transpose.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kThreads = 256;

__global__ void transpose_vector_kernel(const float* __restrict__ in, float* __restrict__ out,
                                        int rows, int cols) {
  const int vectors_across = ceil_div(cols, 4);
  const int thread = blockIdx.x * kThreads + threadIdx.x;
  const int row = thread / vectors_across;
  const int col = thread % vectors_across * 4;
  if (row < rows) {
    const float4 v =
        *reinterpret_cast<const float4*>(in + static_cast<std::size_t>(row) * cols + col);
    const float elements[] = {v.x, v.y, v.z, v.w};
    for (int i = 0; i < 4 && col + i < cols; ++i) {
      out[static_cast<std::size_t>(col + i) * rows + row] = elements[i];
    }
  }
}

void transpose(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream) {
  const dim3 grid(ceil_div(ceil_div(cols, 4) * rows, kThreads));
  transpose_vector_kernel<<<grid, kThreads, 0, stream>>>(d_in, d_out, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}
