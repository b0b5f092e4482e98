#pragma once

// The differences of two rows of numbers, computed by the GPU: d[i] = |a[i] - b[i]| for i < n, in
// blocks of `threads` threads.
//
// The arrays have n elements each and are in the host's memory. n is at least 1, and no difference
// is too large for an int. The function frees all memory that it allocates. Throws CudaError if
// a CUDA call or the launch fails, for example with too many threads per block.
//
// Exercise 9 defines this one function.
void absolute_difference(const int* h_a, const int* h_b, int* h_d, int n, int threads);
