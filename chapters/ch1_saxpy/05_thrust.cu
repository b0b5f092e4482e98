// Stage 05: Thrust
//
// An array library: say what is done with an element, and it writes the kernel. It comes with the
// CUDA Toolkit. par_nosync is there because transform() would otherwise wait for the result, and a
// stage only queues its work.
//
// Cost: one call, no index, no guard, no block size. Next: 06_cublas.cu.
//
// Requires: a GPU

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
