// Exercise 3: who am I? (5 minutes)
//
// Each thread stores, at the position of its element, the number of its block, its number in the
// block, and the index of the element. This time the launch is missing too.
//
// Goal: every element names its own thread, for any number of threads per block.
// Check:   ./workbook check ch1_ex3
// See:     ./workbook run ch1_ex3 -- --n 20 --threads 8
//
// Predict first: with 8 threads per block, which thread has element 13? And with 5 threads?

#include "who_am_i.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

__global__ void who_am_i_kernel(int* __restrict__ block, int* __restrict__ thread,
                                int* __restrict__ element, int n) {
  // TODO: store block, thread and element at the position of this thread's element. (about 6
  // lines)
}

void who_am_i(int* d_block, int* d_thread, int* d_element, int n, int threads,
              cudaStream_t stream) {
  if (n == 0) return;  // a grid of 0 blocks is an error
  // TODO: launch the kernel, with as many blocks as n elements need. (about 2 lines)
  CUDA_CHECK(cudaGetLastError());
}
