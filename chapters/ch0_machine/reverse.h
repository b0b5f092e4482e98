#pragma once

// out[n - 1 - i] = in[i] for i < n, in blocks of `threads` threads. Both arrays are in device
// memory and have n elements; they are not the same. n is at least 1. Throws CudaError if the
// launch fails, as with more threads than a block may have.
//
// Exercise 4 defines this one function.
void reverse(const int* d_in, int* d_out, int n, int threads);
