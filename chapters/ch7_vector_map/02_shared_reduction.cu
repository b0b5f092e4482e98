// Stage 02: shared range reduction
//
// tan x is sin x / cos x, so one range reduction and two polynomials are enough for both functions
// (shared_reduction.h). They use double precision: a GPU for computing has half as many FP64 units
// as FP32 units, and a map of floats leaves the FP64 units idle. The gain: the last digit of every
// result is correct.
//
// Cost: 4 sectors per request. Per element, 24 operations on doubles, and 5 conversions or
// approximations. No slow path and no stack: a warp never diverges. Next: 03_vectorized.cu.

#include "quotient.h"
#include "shared_reduction.h"
#include "vector_map.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

constexpr std::size_t kThreads = 256;

__global__ void vector_map_shared_reduction_kernel(const float* __restrict__ x,
                                                   float* __restrict__ y, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = quotient(map_fraction(x[i]));
  }
}

void vector_map(const float* d_x, float* d_y, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;  // a grid of 0 blocks is an error
  const auto blocks = static_cast<unsigned>(ceil_div(n, kThreads));
  vector_map_shared_reduction_kernel<<<blocks, kThreads, 0, stream>>>(d_x, d_y, n);
  CUDA_CHECK(cudaGetLastError());
}

// Half an ulp is the rounding to a float; the rest is the error of cosine where 1 + 3 cos x is
// nearest to 0. Over all floats up to kMaxX the largest error is 0.646 ulp.
Accuracy accuracy() { return {0.75, /*in_ulp_of_larger_term=*/false}; }
