// Exercise 6: from a blank file (25 minutes)
//
// The product with tiles of 32 x 32 in shared memory, without looking at a stage: the kernel and
// its launch.
//
// Goal: correct for every m, n and k; 1/32 of the loads of stage 01.
// Check:   ./workbook check ch6_ex6
// Look:    ./workbook inspect ch6_ex6
//
// Begin on paper: which element of `a` and which of `b` does thread (x, y) load in step s? What
// does it write into the tile if that element does not exist? Where are the barriers?
//
// Predict first: c is 0 x 5, or k is 0. What must be launched, and what must be in `c`?

#include "matmul.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

// TODO: the kernel. (about 30 lines)
void matmul(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, cudaStream_t stream) {
  const ProductShape shape = product_shape(a, b, c);
  // TODO: the launch, unless `c` has no elements. (about 5 lines)
}
