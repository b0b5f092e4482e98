// Exercise 5: from one block to many (5 minutes)
// Bug hunt
//
// This program has one block, with a thread for each number. This works for 5 numbers, but not for
// 2000, because a block has at most 1024 threads.
//
// TODO: launch as many blocks as the kernel needs, and give each thread its own number. (3 lines)
//
// Goal: the correct result for every n, with blocks of `threads` threads, and no more blocks than
// necessary.
// Check:   ./workbook check ch0_ex5
// See:     ./workbook run ch0_ex5 -- --n 2000 --threads 256
//
// Predict first: if you fix only the launch and leave the kernel unchanged, which numbers are
// wrong, and what does the simulator report?

#include "add_one.h"

#include "common/cuda_check.h"

__global__ void add_one_kernel(int* x, int n) {
  const int i = threadIdx.x;
  if (i < n) x[i] = x[i] + 1;
}

void add_one(int* d_x, int n, int threads) {
  const int blocks = 1;
  add_one_kernel<<<blocks, n>>>(d_x, n);
  CUDA_CHECK(cudaGetLastError());
}
