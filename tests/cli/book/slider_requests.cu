// The requests that the figures with sliders show: slider_requests STRIDE OFFSET WIDTH

#include "common/cuda_check.h"

#include <cstdlib>

namespace {

__global__ void read(const float* in, float* out, int stride, int offset) {
  out[threadIdx.x] = in[stride * threadIdx.x + offset];
}

__global__ void read_column(float* out, int width) {
  extern __shared__ float tile[];
  for (int col = 0; col < width; ++col) tile[width * threadIdx.x + col] = 1;
  out[threadIdx.x] = tile[width * threadIdx.x];
}

}  // namespace

int main(int, char** arguments) {
  const int stride = std::atoi(arguments[1]), offset = std::atoi(arguments[2]);
  const int width = std::atoi(arguments[3]);
  float *in = nullptr, *out = nullptr;
  CUDA_CHECK(cudaMalloc(&in, (31 * stride + offset + 1) * sizeof(float)));
  CUDA_CHECK(cudaMemset(in, 0, (31 * stride + offset + 1) * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&out, 32 * sizeof(float)));
  read<<<1, 32>>>(in, out, stride, offset);
  CUDA_CHECK(cudaGetLastError());
  read_column<<<1, 32, 32 * width * sizeof(float)>>>(out, width);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaFree(in));
  CUDA_CHECK(cudaFree(out));
}
