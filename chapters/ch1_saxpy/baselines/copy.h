#pragma once

#include <cuda_runtime.h>

// y(i) = x(i) for i from 0 to n - 1: the cost of moving the bytes, without a second array to read.
// Same contract as saxpy() in saxpy.h.
//
// Every copy_*.cu defines this one function; each program links exactly one of them.
void copy(const float* d_x, float* d_y, int n, int threads, cudaStream_t stream = nullptr);
