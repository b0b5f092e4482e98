#pragma once

#include "matrix.h"

// c = a b on `threads` threads of the CPU, of matrices in the host's memory, for sizes as in
// matmul.h. A thread has a share of the rows of c. The same bits for any number of threads. Throws
// std::invalid_argument if the sizes do not match.
void threaded_product(Matrix<const float> a, Matrix<const float> b, Matrix<float> c,
                      unsigned threads);
void threaded_product(Matrix<const double> a, Matrix<const double> b, Matrix<double> c,
                      unsigned threads);
