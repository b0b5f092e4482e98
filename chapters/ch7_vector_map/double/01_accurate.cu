// Double precision, step 01: the accurate functions of CUDA's library
//
// 01 with doubles: twice the bytes, and half as many arithmetic units.
//
// Cost: 8 sectors per request. Next: double/02_precision.cu.

#include "double/double_map.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

constexpr std::size_t kThreads = 256;

__global__ void double_map_accurate_kernel(const double* __restrict__ x, double* __restrict__ y,
                                           std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = tan(x[i]) + 3.0 * sin(x[i]);
  }
}

void double_map(const double* d_x, double* d_y, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;  // a grid of 0 blocks is an error
  const auto blocks = static_cast<unsigned>(ceil_div(n, kThreads));
  double_map_accurate_kernel<<<blocks, kThreads, 0, stream>>>(d_x, d_y, n);
  CUDA_CHECK(cudaGetLastError());
}

// The CUDA Programming Guide's bounds: tan 2 ulp, sin 2 ulp; the rest as in 01_accurate.cu.
Accuracy accuracy() { return {2 + 3 + 0.5 + 1, /*in_ulp_of_larger_term=*/true}; }
