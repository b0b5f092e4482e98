// The ceilings: the arithmetic of a pair alone
//
// The arithmetic for one point of a pair: two subtractions, the sum of two squares and 1, a
// reciprocal, q^2, two sums of pushes and the sum of q, as in stages 03 to 06 without the loads.
// For both points: two more sums of pushes, and two ordered pairs are computed (stages 07 and 08,
// without their shuffles). Each thread has four points, as in stage 04, and moves the other point
// between pairs.
//
// The compiler must not remove the work. So a thread stores its sums if they equal one particular
// number. They never do, but the compiler cannot prove that.
//
// Cost: 9 instructions per pair for one point, 11 for both points, and 16 instructions per
// iteration of 32 pairs to move the other point.

#include "baselines/pair_rate.h"
#include "similarity.h"

#include "common/cuda_check.h"

constexpr int kThreads = 128;
constexpr int kBlocksPerMultiprocessor = 12;
constexpr int kPoints = 4;
constexpr int kOthersPerIteration = 8;
constexpr int kIterations = 1000;

template <bool kForBoth>
__global__ void __launch_bounds__(kThreads)
    pair_rate_kernel(float* unused, float step, int iterations) {
  float2 own[kPoints], push[kPoints] = {};
  float sum[kPoints] = {};
#pragma unroll
  for (int k = 0; k < kPoints; ++k) {
    // x and y differ from point to point: the compiler would compute a shared difference only once.
    const float position = static_cast<float>(threadIdx.x * kPoints + k);
    own[k] = {position * 0.25f, position * 0.5f};
  }
  float2 other{step, -step}, back{0, 0};
  for (int iteration = 0; iteration < iterations; ++iteration) {
#pragma unroll
    for (int j = 0; j < kOthersPerIteration; ++j) {
      other.x += step;
#pragma unroll
      for (int k = 0; k < kPoints; ++k) {
        const float dx = own[k].x - other.x, dy = own[k].y - other.y;
        const float q = similarity(dx, dy);
        const float weight = q * q;
        push[k].x += weight * dx;
        push[k].y += weight * dy;
        sum[k] += q;
        if (kForBoth) {
          back.x -= weight * dx;
          back.y -= weight * dy;
        }
      }
      other.y += step * 0.5f;
    }
  }
  float all = back.x + back.y;
#pragma unroll
  for (int k = 0; k < kPoints; ++k) all += push[k].x + push[k].y + sum[k];
  if (all == 0.123456789f) *unused = all;
}

// Returns the number of pairs, each counted in both orders.
template <bool kForBoth>
static double queue_pairs(float* unused, cudaStream_t stream) {
  int device = 0, multiprocessors = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  const int blocks = multiprocessors * kBlocksPerMultiprocessor;
  pair_rate_kernel<kForBoth><<<blocks, kThreads, 0, stream>>>(unused, /*step=*/0.001f, kIterations);
  CUDA_CHECK(cudaGetLastError());
  const int orders = kForBoth ? 2 : 1;
  return static_cast<double>(orders * kPoints * kOthersPerIteration) * kIterations * kThreads *
         blocks;
}

double pair_rate(float* unused, cudaStream_t stream) { return queue_pairs<false>(unused, stream); }

double pair_once_rate(float* unused, cudaStream_t stream) {
  return queue_pairs<true>(unused, stream);
}
