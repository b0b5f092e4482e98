// The product on the CPU: the system's BLAS
//
// BLAS is the standard interface of linear algebra: sgemm() makes a product of floats, dgemm() of
// doubles. Which library stands behind it, and how many threads it uses, is the system's matter:
// OpenBLAS and MKL take all cores unless OPENBLAS_NUM_THREADS or MKL_NUM_THREADS says otherwise,
// the reference BLAS takes one and is slow. Where CMake finds none that links, our own threads do
// it.

#include "baselines/cpu.h"

#include "baselines/system_product.h"

void product_on_cpu(Matrix<const float> a, Matrix<const float> b, Matrix<float> c) {
  system_product(a, b, c);
}

void product_on_cpu(Matrix<const double> a, Matrix<const double> b, Matrix<double> c) {
  system_product(a, b, c);
}

const char* cpu_library() { return system_library(); }
