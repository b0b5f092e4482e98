#pragma once

// What lies between two rows of numbers, computed by the GPU: d[i] = |a[i] - b[i]| for i < n, in
// blocks of `threads` threads.
//
// The arrays have n elements each and are in the host's memory. n is at least 1, and no difference
// is too large for an int. What the function allocates on the device it frees. Throws CudaError if
// a CUDA call or the launch fails, as with more threads than a block may have.
//
// Exercise 9 defines this one function.
void absolute_difference(const int* h_a, const int* h_b, int* h_d, int n, int threads);
