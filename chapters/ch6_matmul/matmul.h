#pragma once

#include "matrix.h"

#include <cuda_runtime.h>

// c = a b. Element (i, j) of c is the sum over p of a(i, p) b(p, j); with K = 0 it is 0. The
// matrices do not overlap. Every size is from 0 to kMaxExtent, and each matrix can have more than
// 2^31 elements, as many as fit into memory; some stages also need room for copies of `a` and `b`.
//
// Returns once the work is queued on `stream`. Throws std::invalid_argument if the sizes do not
// match, and CudaError if the work cannot be launched, for example if `c` has more rows than the
// 65535 rows of blocks of a 2-D grid cover (stages 01 and 02).
//
// Every stage of this chapter defines this function; each program links exactly one stage.
void matmul(Matrix<const float> a, Matrix<const float> b, Matrix<float> c,
            cudaStream_t stream = nullptr);

// The largest rounding error of an element of c, relative to the sum over p of |a(i, p) b(p, j)|,
// in a sum of k products with the stage's arithmetic. A stage whose products and sums are floats
// does not define it.
double float_error_bound(int k);
