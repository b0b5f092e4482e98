// Exercise 8: print by warp (8 minutes)
//
// Each warp prints one line, with its block, its number in the block, and its first and last
// thread:
//
//   block 2, warp 1: threads 32 to 39
//
// Goal: the correct lines for every number of threads per block, each once, in any order.
// Check:   ./workbook check ch0_ex8
// See:     ./workbook run ch0_ex8 -- --blocks 3 --threads 40
//
// Predict first: how many lines do 3 blocks of 40 threads print? And 3 blocks of 33?

#include "print_warps.h"

#include "common/cuda_check.h"

#include <cstdio>

__global__ void print_warps_kernel() {
  const int warp = threadIdx.x / warpSize;
  const int first = warp * warpSize;
  const int end = first + warpSize;
  // TODO: one lane of each warp prints. Which? And what is the last thread of a warp that is not
  // full? (about 4 lines)
}

void print_warps(int blocks, int threads) {
  print_warps_kernel<<<blocks, threads>>>();
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());  // now the kernel's output is on the screen
}
