// Exercise 1: write the launch (3 minutes)
//
// The kernel is there: each of its threads adds 1 to one element. But the host does not launch it.
//
// Goal: the correct result for every n and every number of threads per block, with no more blocks
// than necessary.
// Check:   ./workbook check ch0_ex1
// See:     ./workbook run ch0_ex1 -- --n 10 --threads 4
//
// Predict first: how many blocks of 4 threads do 10 elements need? And 12? And 13?

#include "add_one.h"

#include "common/cuda_check.h"

__global__ void add_one_kernel(int* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] + 1;
}

void add_one(int* d_x, int n, int threads) {
  // TODO: compute how many blocks n elements need, and launch the kernel. (2 lines)
  CUDA_CHECK(cudaGetLastError());
}
