// Exercise 4: reverse an array (5 minutes)
//
// The first number goes to the last place, the second to the one before, and so on. The launch is
// there; the kernel is empty.
//
// Goal: right numbers for every n. Thread i takes number i, so that neighbouring threads use
// neighbouring memory. (That costs least; stage 07, which comes later, counts it.)
// Check:   ./workbook check ch0_ex4
// See:     ./workbook run ch0_ex4
//
// Predict first: with 10 numbers, where does number 0 go? And number 9? And number i of n?

#include "reverse.h"

#include "common/cuda_check.h"

__global__ void reverse_kernel(const int* in, int* out, int n) {
  // TODO: which number is this thread's, and where does it go? (2 lines)
}

void reverse(const int* d_in, int* d_out, int n, int threads) {
  const int blocks = (n + threads - 1) / threads;
  reverse_kernel<<<blocks, threads>>>(d_in, d_out, n);
  CUDA_CHECK(cudaGetLastError());
}
