// Stage 06: tensor cores
//
// mma.sync multiplies two small matrices that lie in the registers of a warp: 16 x 16 by 16 x 8 of
// doubles, 16 x 8 by 8 x 8 of TF32. Doubles are doubles. A TF32 number is a float with 10 bits of
// mantissa in place of 23; the instruction ignores the last 13. So a float x becomes two of them:
// x itself, cut off, and the rest. a b is then a b' + a' b + a b of TF32 numbers, where ' marks the
// rest; the rests' own product is below what a float holds. Three products for one, with the
// accuracy of floats.
//
// A tensor core cuts off what does not fit its sum; to that a long sum would drift. So it adds up
// one step along k only, and an ordinary addition, which rounds, adds that to the rest.
//
// mma_sync.h has what is not new: tiles, asynchronous copies, and which lane holds what.
//
// Cost: a warp makes 64 x 32 elements of `c`: for one p it loads 96 values and does 2048
// multiply-adds (of floats three times that). Of floats 3 instructions split a value.
// Next: 07_warpgroup.cu.

#include "error_bound.h"
#include "matmul.h"
#include "mma_sync.h"
#include "tf32.h"

// A step of the product of floats: three products of TF32 numbers.
struct ThreeProducts {
  __device__ static void add_step(Sums<float>& sums, const float* a_part, const float* b_part) {
    constexpr int kMmaDepth = Config<float>::kMmaDepth;
    Sums<float> step_sums = {};
#pragma unroll
    for (int p = 0; p < Config<float>::kDepth; p += kMmaDepth) {
      BFragment<float> of_b[kMmaCols], rest_of_b[kMmaCols];
#pragma unroll
      for (int j = 0; j < kMmaCols; ++j) {
        load_b<float>(of_b[j], b_part + p * kBPitch<float> + 8 * j);
#pragma unroll
        for (int r = 0; r < kMmaDepth / 4; ++r) rest_of_b[j][r] = tf32_rest(of_b[j][r]);
      }
#pragma unroll
      for (int i = 0; i < kMmaRows; ++i) {
        AFragment<float> of_a, rest_of_a;
        load_a<float>(of_a, a_part + 16 * i * kAPitch<float> + p);
#pragma unroll
        for (int r = 0; r < kMmaDepth / 2; ++r) rest_of_a[r] = tf32_rest(of_a[r]);
          // The small products first; and those of one sum are far apart, as each waits for the
          // last.
#pragma unroll
        for (int j = 0; j < kMmaCols; ++j) mma(step_sums[i][j], rest_of_a, of_b[j]);
#pragma unroll
        for (int j = 0; j < kMmaCols; ++j) mma(step_sums[i][j], of_a, rest_of_b[j]);
#pragma unroll
        for (int j = 0; j < kMmaCols; ++j) mma(step_sums[i][j], of_a, of_b[j]);
      }
    }
#pragma unroll
    for (int i = 0; i < kMmaRows; ++i) {
#pragma unroll
      for (int j = 0; j < kMmaCols; ++j) {
#pragma unroll
        for (int r = 0; r < 4; ++r) sums[i][j][r] += step_sums[i][j][r];
      }
    }
  }
};

void matmul(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, cudaStream_t stream) {
  launch_mma_sync<ThreeProducts>(a, b, c, stream);
}

void matmul(Matrix<const double> a, Matrix<const double> b, Matrix<double> c, cudaStream_t stream) {
  launch_mma_sync<OneProduct<double>>(a, b, c, stream);
}

double float_error_bound(int k) { return three_tf32_error_bound(k, Config<float>::kDepth); }
double double_error_bound(int k) { return double_sum_error_bound(k); }
