#pragma once

// x[i] = x[i] + 1 for i < n, in blocks of `threads` threads. x has n elements and is in device
// memory; n is at least 1. Throws CudaError if the launch fails, for example with too many threads
// per block.
//
// Exercises 1 and 5 define this one function.
void add_one(int* d_x, int n, int threads);
