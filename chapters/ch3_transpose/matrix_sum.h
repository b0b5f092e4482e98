#pragma once

#include <cuda_runtime.h>

// sum(r, c) = a(r, c) + b(r, c). The three matrices are in device memory, row-major and densely
// packed; `a` and `b` may be the same array, `sum` is a different one. rows, cols, stream and
// errors are as for transpose() in transpose.h.
//
// Exercise 1 defines this one function, and so do baselines/matrix_sum_by_row.cu and
// matrix_sum_by_column.cu. Each program links exactly one of them.
void matrix_sum(const float* d_a, const float* d_b, float* d_sum, int rows, int cols,
                cudaStream_t stream = nullptr);
