#pragma once

// y = 2 x, computed by the GPU: y[i] = 2 * x[i] for i < n, in blocks of `threads` threads.
//
// x and y have n elements each and are in the host's memory; they are not the same. n is at least
// 1. What the function allocates on the device it frees. Throws CudaError (common/cuda_check.h) if
// a CUDA call or the launch fails, as with more threads than a block may have.
//
// Exercises 2, 3 and 7 define this one function.
void double_on_gpu(const int* h_x, int* h_y, int n, int threads);
