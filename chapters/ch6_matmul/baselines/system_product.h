#pragma once

#include "matrix.h"

// Computes what product_on_cpu() in cpu.h computes: with the system's BLAS if CMake found one that
// links (blas/system.cpp), otherwise with our own threads (blas/none.cpp).
void system_product(Matrix<const float> a, Matrix<const float> b, Matrix<float> c);
void system_product(Matrix<const double> a, Matrix<const double> b, Matrix<double> c);
const char* system_library();  // its name, for messages
