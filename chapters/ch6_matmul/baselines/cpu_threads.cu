// The product on the CPU: our own threads
//
// One thread for each core that the process can use (taskset -c 0 leaves it one), tiles of c in
// registers, packed columns of b in the cache. Unlike a BLAS, it has no vector instructions for the
// present CPU, and no years of tuning.

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
