// Stage 05: Thrust
//
// An array library: it generates the kernel for a function of one element. The function calls tanf
// and sinf, like stage 01, because a library cannot combine the work of two functions.
//
// Cost: one call, no index, no guard, no block size.
//
// Requires: Thrust

#include "vector_map.h"

#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/transform.h>

struct TanPlusThreeSin {
  __host__ __device__ float operator()(float x) const { return tanf(x) + 3.0f * sinf(x); }
};

void vector_map(const float* d_x, float* d_y, std::size_t n, cudaStream_t stream) {
  const thrust::device_ptr<const float> x(d_x);
  const thrust::device_ptr<float> y(d_y);
  thrust::transform(thrust::cuda::par_nosync.on(stream), x, x + n, y, TanPlusThreeSin{});
}

// The bounds of 01_accurate.cu.
Accuracy accuracy() { return {4 + 3 + 0.5 + 1, /*in_ulp_of_larger_term=*/true}; }
