// Exercise 2: too many threads (5 minutes)
// Bug hunt
//
// This is stage 02 with blocks of 2000 threads. It compiles and runs and ends without an error, but
// y does not change. It is also very fast.
//
// TODO: first make the program report the error (1 line): CUDA records it at the launch, but
// reports it only if the program asks. Then fix the cause.
//
// Goal: the correct result with the number of threads that the caller asks for, and an exception if
// that number is impossible.
// Check:   ./workbook check ch1_ex2
// Run:     ./workbook run ch1_ex2
//
// Predict first: which call in check_saxpy() of main.cpp notices that no kernel ran? Is it the
// launch, cudaDeviceSynchronize(), or one of the copies?

#include "saxpy.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

__global__ void saxpy_many_blocks_kernel(float a, const float* __restrict__ x,
                                         float* __restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = a * x[i] + y[i];
  }
}

void saxpy(float a, const float* d_x, float* d_y, int n, int threads, cudaStream_t stream) {
  if (n == 0) return;  // a grid of 0 blocks is an error
  threads = 2000;      // more threads, more speed?
  const int blocks = ceil_div(n, threads);
  saxpy_many_blocks_kernel<<<blocks, threads, 0, stream>>>(a, d_x, d_y, n);
}
