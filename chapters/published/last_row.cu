// Second difference of each column of a matrix: out = above - 2 here + below. The first and the
// last row of the result stay 0. A thread walks down one column and keeps three elements in
// registers, so it loads each element once.

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

__global__ void difference_kernel(const float* in, float* out, std::size_t rows, std::size_t cols) {
  const unsigned col = blockIdx.x * blockDim.x + threadIdx.x;
  if (col >= cols) return;
  float above = in[col];
  float here = in[cols + col];
  float below = in[2 * cols + col];
  for (std::size_t row = 1; row + 1 < rows; ++row) {
    out[row * cols + col] = above - 2 * here + below;
    above = here;
    here = below;
    if (row + 2 < rows) below = in[(row + 2) * cols + col];
  }
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
  std::exit(1);
}

int main() {
  const int rows = 20, cols = 100, size = rows * cols;
  float *in = nullptr, *out = nullptr;
  check(cudaMallocManaged(&in, size * sizeof(float)));
  check(cudaMallocManaged(&out, size * sizeof(float)));
  for (int i = 0; i < size; ++i) {
    in[i] = i * 7 % 32;
    out[i] = 0;
  }

  const int threads = 64;
  difference_kernel<<<(cols + threads - 1) / threads, threads>>>(in, out, rows, cols);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());

  int wrong = 0;
  for (int i = cols; i < size - cols; ++i) {
    if (out[i] != in[i - cols] - 2 * in[i] + in[i + cols]) ++wrong;
  }
  std::printf(wrong == 0 ? "all right\n" : "WRONG: %d elements\n", wrong);
  check(cudaFree(in));
  check(cudaFree(out));
  return wrong == 0 ? 0 : 1;
}
