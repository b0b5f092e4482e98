// Exercise 3: write the whole host side (10 minutes)
//
// The kernel is complete, but all the host code is missing. Stage 01 has similar code, but try to
// write yours without looking at stage 01.
//
// Goal: the correct result for every n, in the host's y. Every call is checked with CUDA_CHECK, and
// all memory that is allocated is freed. (The tests can detect only one missing check: the check
// after the launch.)
// Check:   ./workbook check ch0_ex3
// See:     ./workbook run ch0_ex3
//
// Predict first: which of the steps wait until the GPU has finished the previous steps?

#include "machine.h"

#include "common/cuda_check.h"

#include <cstddef>

__global__ void double_kernel(const int* x, int* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}

void double_on_gpu(const int* h_x, int* h_y, int n, int threads) {
  // TODO: allocate, copy, launch, check the launch, wait, copy back, free. (about 12
  // lines)
}
