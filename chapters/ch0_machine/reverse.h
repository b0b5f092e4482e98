#pragma once

// out[n - 1 - i] = in[i] for i < n, in blocks of `threads` threads. They are two arrays of n
// elements in device memory; n is at least 1. Throws CudaError if the launch fails, for example
// with too many threads per block.
//
// Exercise 4 defines this one function.
void reverse(const int* d_in, int* d_out, int n, int threads);
