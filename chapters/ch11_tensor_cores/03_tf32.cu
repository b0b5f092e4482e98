// Stage 03, another accuracy: TF32 on tensor cores that do not wait
//
// A load from shared memory takes some 30 cycles to answer, and meanwhile a tensor core could have
// made many products. So a warp has two sets of fragments: one is multiplied while the other is
// loaded, across the barrier between two steps too.
//
// mma_sync.h has the kernel, as the next stages multiply fragments in other ways: a type says how.
// This one is the plain way, one product. For floats that is TF32, what libraries do when they are
// allowed to. It is no answer to the same question as that of the other stages.
//
// Cost: the loads and products of stage 02, and 24 registers more for floats. Next:
// 04_tensor_core.cu.
//
// Requires: compute capability 9.0

#include "matmul.h"
#include "mma_sync.h"

#include "common/error_bound.h"

void matmul(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, cudaStream_t stream) {
  launch_mma_sync<OneProduct<float>>(a, b, c, stream);
}

void matmul(Matrix<const double> a, Matrix<const double> b, Matrix<double> c, cudaStream_t stream) {
  launch_mma_sync<OneProduct<double>>(a, b, c, stream);
}

double float_error_bound(int k) { return tf32_error_bound(k); }
double double_error_bound(int k) { return double_sum_error_bound(k); }
