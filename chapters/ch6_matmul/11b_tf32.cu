// Stage 11b, another accuracy: one product of TF32 numbers
//
// The same product without the rests: floats are cut off after 10 bits of mantissa. This is what
// libraries do when they are allowed to use TF32. It is not an answer to the same question: its
// errors are hundreds of times those of all other stages, so its speed stands apart from theirs.
// Doubles are as in 11_tensor_core.cu.
//
// Cost: a third of 11_tensor_core.cu's multiply-adds, and nothing to split.

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
