// The product on the CPU: our own threads
//
// The program starts one thread per core that it can use (taskset -c 0 leaves one core). It keeps
// tiles of c in registers and packed columns of b in the cache. Unlike a BLAS, it is not tuned for
// the CPU and has no vector instructions for it.

#include "baselines/cpu.h"

#include "baselines/threaded_product.h"

#include "common/harness/cpu_baseline.h"

void product_on_cpu(Matrix<const float> a, Matrix<const float> b, Matrix<float> c) {
  threaded_product(a, b, c, cpu_cores());
}

void product_on_cpu(Matrix<const double> a, Matrix<const double> b, Matrix<double> c) {
  threaded_product(a, b, c, cpu_cores());
}

const char* cpu_library() { return "our own threads"; }
