#pragma once

// y = 2 x, computed by the GPU: y[i] = 2 * x[i] for i < n, in blocks of `threads` threads.
//
// x and y are two arrays of n elements in the host's memory; n is at least 1. The function frees
// all memory that it allocates. Throws CudaError (common/cuda_check.h) if a CUDA call or the launch
// fails, for example with too many threads per block.
//
// Exercises 2, 3 and 7 define this one function.
void double_on_gpu(const int* h_x, int* h_y, int n, int threads);
