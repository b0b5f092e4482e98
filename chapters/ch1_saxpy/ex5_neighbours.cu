// Exercise 5: an eighth of the sectors (8 minutes)
// Rewrite
//
// Here a thread computes 32 elements, as a core of a CPU would: a contiguous chunk of the array.
// The result is correct, but the accesses cost too much.
//
// TODO: let a thread compute 32 different elements (up to 3 lines of the kernel change).
//
// Goal: 4 sectors per request instead of 32, with the same number of threads, and no iterations in
// which a thread computes nothing.
// Check:   ./workbook check ch1_ex5
// Look:    ./workbook inspect ch1_ex5
//
// Predict first: in the first iteration of the loop, thread 0 reads x[0]. What do threads 1 and 2
// read, and how many sectors of 32 bytes does their warp touch? On a GPU, measure the time before
// and after: ./workbook run ch1_ex5

#include "saxpy.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

constexpr int kElements = 32;  // per thread

__global__ void saxpy_32_elements_kernel(float a, const float* __restrict__ x,
                                         float* __restrict__ y, int n) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int end = min(n, (thread + 1) * kElements);
  for (int i = thread * kElements; i < end; ++i) {
    y[i] = a * x[i] + y[i];
  }
}

void saxpy(float a, const float* d_x, float* d_y, int n, int threads, cudaStream_t stream) {
  if (n == 0) return;  // a grid of 0 blocks is an error
  const int blocks = ceil_div(ceil_div(n, kElements), threads);
  saxpy_32_elements_kernel<<<blocks, threads, 0, stream>>>(a, d_x, d_y, n);
  CUDA_CHECK(cudaGetLastError());
}
