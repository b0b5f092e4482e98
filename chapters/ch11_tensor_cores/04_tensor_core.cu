// Stage 04: tensor cores with the accuracy of floats, by three products
//
// A TF32 number is a float with 10 bits of mantissa in place of 23; the instruction ignores the
// last 13. So a float x becomes two of them: x itself, cut off, and the rest. a b is then
// a b' + a' b + a b of TF32 numbers, where ' marks the rest; the rests' own product is below what a
// float holds. Three products for one, with the accuracy of floats. Doubles are as in stage 03.
//
// A tensor core cuts off what does not fit its sum; to that a long sum would drift. So it adds up
// one step along k only, and an ordinary addition, which rounds, adds that to the rest.
//
// Cost: three times stage 03's multiply-adds of floats, and 3 instructions that split a value.
// Next: 05_wgmma.cu.
//
// Requires: compute capability 9.0

#include "matmul.h"
#include "mma_sync.h"

#include "common/error_bound.h"
#include "common/tf32.h"

// Floats: three products of TF32 numbers.
struct ThreeProducts {
  static constexpr bool kAddsUpEachStep = true;
  __device__ static void multiply(Sums<float>& sums, const Fragments<float>& fragments) {
    BFragment<float> rest_of_b[kMmaCols];
#pragma unroll
    for (int j = 0; j < kMmaCols; ++j) split(rest_of_b[j], fragments.b[j]);
#pragma unroll
    for (int i = 0; i < kMmaRows; ++i) {
      AFragment<float> rest_of_a;
      split(rest_of_a, fragments.a[i]);
      // The small products first; and those of one sum are far apart, as each waits for the last.
#pragma unroll
      for (int j = 0; j < kMmaCols; ++j) mma(sums[i][j], rest_of_a, fragments.b[j]);
#pragma unroll
      for (int j = 0; j < kMmaCols; ++j) mma(sums[i][j], fragments.a[i], rest_of_b[j]);
#pragma unroll
      for (int j = 0; j < kMmaCols; ++j) mma(sums[i][j], fragments.a[i], fragments.b[j]);
    }
  }

 private:
  template <int kSize>
  __device__ static void split(float (&rest)[kSize], const float (&x)[kSize]) {
#pragma unroll
    for (int r = 0; r < kSize; ++r) rest[r] = tf32_rest(x[r]);
  }
};

void matmul(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, cudaStream_t stream) {
  launch_mma_sync<ThreeProducts>(a, b, c, stream);
}

void matmul(Matrix<const double> a, Matrix<const double> b, Matrix<double> c, cudaStream_t stream) {
  launch_mma_sync<OneProduct<double>>(a, b, c, stream);
}

double float_error_bound(int k) { return three_tf32_error_bound(k, kDepth<float>); }
double double_error_bound(int k) { return double_sum_error_bound(k); }
