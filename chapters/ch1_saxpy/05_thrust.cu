// Stage 05: Thrust
//
// An array library: the program defines the operation on one element, and Thrust generates the
// kernel. Thrust comes with the CUDA Toolkit. Without par_nosync, transform() would wait for the
// result, but a stage only queues its work.
//
// Cost: one call, no index, no guard, no block size. Next: 06_cublas.cu.
//
// Requires: Thrust

#include "saxpy.h"

#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/transform.h>

struct AxPlusY {
  float a;
  __host__ __device__ float operator()(float x, float y) const { return a * x + y; }
};

void saxpy(float a, const float* d_x, float* d_y, int n, int /*threads*/, cudaStream_t stream) {
  const thrust::device_ptr<const float> x(d_x);
  const thrust::device_ptr<float> y(d_y);
  thrust::transform(thrust::cuda::par_nosync.on(stream), x, x + n, y, y, AxPlusY{a});
}
