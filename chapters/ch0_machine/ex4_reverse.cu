// Exercise 4: reverse an array (5 minutes)
//
// The first number goes to the last position, the second number to the position before it, and so
// on. The launch is complete; the kernel is empty.
//
// Goal: the correct result for every n. Thread i reads number i, so that consecutive threads use
// consecutive memory. (This has the lowest cost. Stage 07, later in the chapter, counts it.)
// Check:   ./workbook check ch0_ex4
// See:     ./workbook run ch0_ex4
//
// Predict first: to which position do number 0 and number 9 of 10 numbers go? And number i of n?

#include "reverse.h"

#include "common/cuda_check.h"

__global__ void reverse_kernel(const int* in, int* out, int n) {
  // TODO: which number does this thread read, and where does it go? (2 lines)
}

void reverse(const int* d_in, int* d_out, int n, int threads) {
  const int blocks = (n + threads - 1) / threads;
  reverse_kernel<<<blocks, threads>>>(d_in, d_out, n);
  CUDA_CHECK(cudaGetLastError());
}
