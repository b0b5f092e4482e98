#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// y = A x: y[r] is the sum of a[r * cols + c] * x[c] over c from 0 to cols - 1; an empty sum is 0.
// A has rows x cols doubles, row by row; x has cols doubles, y has rows.
//
// Everything is in device memory, aligned as cudaMalloc aligns, and nothing overlaps. rows and cols
// are each from 0 to kMaxExtent. Returns once the work is queued on `stream`; throws CudaError if
// it cannot be launched.
//
// Exercise 7 defines this function.
void matrix_vector(const double* d_a, const double* d_x, double* d_y, std::size_t rows,
                   std::size_t cols, cudaStream_t stream = nullptr);

constexpr std::size_t kMaxExtent = 1'000'000'000;
