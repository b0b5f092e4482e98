#pragma once

#include <cuda_runtime.h>

// The min-plus product: element (i, j) of c is the minimum over p of a(i, p) + b(p, j), and
// INFINITY if k is 0. a is m x k, b is k x n, c is m x n, row-major, contiguous, in device memory;
// they do not overlap. A size can be 0. An element is a length, or INFINITY for "no road", and
// never NaN or -INFINITY.
//
// Returns once the work is queued on `stream`. Throws CudaError if it cannot be launched.
//
// Exercise 7 defines this one function.
void min_plus(const float* d_a, const float* d_b, float* d_c, int m, int n, int k,
              cudaStream_t stream = nullptr);
