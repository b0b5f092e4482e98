#pragma once

#include "matrix.h"

// c = a b on `threads` threads of the CPU, with matrices in host memory and sizes as in matmul.h.
// Each thread computes a share of the rows of c. The result does not depend on the number of
// threads. Throws std::invalid_argument if the sizes do not match.
void threaded_product(Matrix<const float> a, Matrix<const float> b, Matrix<float> c,
                      unsigned threads);
void threaded_product(Matrix<const double> a, Matrix<const double> b, Matrix<double> c,
                      unsigned threads);
