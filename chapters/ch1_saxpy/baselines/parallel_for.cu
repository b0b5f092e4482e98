// parallel_for: one loop body for two backends
//
// The body handles element i. parallel_for runs it in a thread of the GPU or in an iteration of a
// loop on the CPU, so a body has no index, no guard and no launch.
//
// Cost: as in stage 02, 4 sectors per request for floats; 8 per request for doubles.

#include "baselines/saxpy_on.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

template <typename Body>
__global__ void parallel_for_kernel(int n, Body body) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) body(i);
}

// Calls body(i) for i from 0 to n - 1, in any order. The pointers in the body must point to the
// backend's memory.
template <typename Body>
void parallel_for(Backend backend, int n, int threads, const Body& body, cudaStream_t stream) {
  if (backend == Backend::cpu) {
    for (int i = 0; i < n; ++i) body(i);
    return;
  }
  if (n == 0) return;  // a grid of 0 blocks is an error
  parallel_for_kernel<<<ceil_div(n, threads), threads, 0, stream>>>(n, body);
  CUDA_CHECK(cudaGetLastError());
}

// The body of the loop: one element of saxpy.
template <typename T>
struct AxPlusY {
  T a;
  const T* x;
  T* y;
  __host__ __device__ void operator()(int i) const { y[i] = a * x[i] + y[i]; }
};

void saxpy_on(Backend backend, float a, const float* x, float* y, int n, int threads,
              cudaStream_t stream) {
  parallel_for(backend, n, threads, AxPlusY<float>{a, x, y}, stream);
}

void saxpy_on(Backend backend, double a, const double* x, double* y, int n, int threads,
              cudaStream_t stream) {
  parallel_for(backend, n, threads, AxPlusY<double>{a, x, y}, stream);
}
