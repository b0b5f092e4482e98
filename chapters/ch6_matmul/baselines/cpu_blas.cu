// The product on the CPU: the system's BLAS
//
// BLAS is the standard interface for linear algebra: sgemm() computes a
// product of floats, dgemm() of doubles. The library behind it depends on
// the system: OpenBLAS and MKL use all cores unless OPENBLAS_NUM_THREADS
// or MKL_NUM_THREADS is set, the reference BLAS uses one core and is slow.
// If CMake finds no BLAS that links, this program uses our own threads.

#include "baselines/cpu.h"

#include "baselines/system_product.h"

void product_on_cpu(Matrix<const float> a, Matrix<const float> b, Matrix<float> c) {
  system_product(a, b, c);
}

void product_on_cpu(Matrix<const double> a, Matrix<const double> b, Matrix<double> c) {
  system_product(a, b, c);
}

const char* cpu_library() { return system_library(); }
