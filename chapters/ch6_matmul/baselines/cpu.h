#pragma once

#include "matrix.h"

// c = a b on the CPU, with matrices in host memory and sizes as in matmul.h. Throws
// std::invalid_argument if the sizes do not match.
//
// Every cpu_*.cu defines the three functions here; each program links exactly one of them.
void product_on_cpu(Matrix<const float> a, Matrix<const float> b, Matrix<float> c);
void product_on_cpu(Matrix<const double> a, Matrix<const double> b, Matrix<double> c);
const char* cpu_library();  // the name of the implementation, for messages
