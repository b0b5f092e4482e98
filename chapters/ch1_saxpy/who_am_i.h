#pragma once

#include <cuda_runtime.h>

// Stores which thread handles element i: block(i) is its blockIdx.x, thread(i) its threadIdx.x, and
// element(i) is the i that this thread computes from them. Blocks of `threads` threads handle the
// elements in order: the first block handles the first `threads` elements, and so on.
//
// The arrays are in device memory and have n elements each. n, stream and errors are as for saxpy()
// in saxpy.h.
//
// Exercise 3 defines this one function.
void who_am_i(int* d_block, int* d_thread, int* d_element, int n, int threads,
              cudaStream_t stream = nullptr);
