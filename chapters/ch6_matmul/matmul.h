#pragma once

#include "matrix.h"

#include <cuda_runtime.h>

// c = a b. Element (i, j) of c is the sum over p of a(i, p) b(p, j); with K = 0 it is 0. The
// matrices do not overlap. Every size is from 0 to kMaxExtent, and each matrix may have more than
// 2^31 elements, up to the memory; some stages need room for copies of `a` and `b` besides.
//
// Returns once the work is queued on `stream`. Throws std::invalid_argument if the sizes do not
// match, and CudaError if the work cannot be launched, as with more rows of `c` than the 65535 rows
// of blocks of a 2-D grid cover (stages 01 and 02).
//
// Every stage of this chapter defines these two functions; each program links exactly one stage.
void matmul(Matrix<const float> a, Matrix<const float> b, Matrix<float> c,
            cudaStream_t stream = nullptr);
void matmul(Matrix<const double> a, Matrix<const double> b, Matrix<double> c,
            cudaStream_t stream = nullptr);

// How far an element of c may be from the exact one, relative to the sum over p of
// |a(i, p) b(p, j)|: what the stage's arithmetic rounds by at most, for sums of k products. A stage
// that defines neither gets both from harness/stage_facts/.
double float_error_bound(int k);
double double_error_bound(int k);
