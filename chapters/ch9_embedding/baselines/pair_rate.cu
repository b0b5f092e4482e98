// The ceiling: the arithmetic of a pair alone
//
// Two subtractions, the sum of two squares and 1, a reciprocal, q^2, two sums of pushes and the sum
// of q: what stages 03 to 06 do for each pair of points, without what brings the points. Each
// thread has four points, as in stage 04, and goes from one other point to the next, which is a
// step further on.
//
// The compiler must keep the work: a thread would store its sums if they were one certain number,
// and only the arithmetic says that they are not.
//
// Cost: 32 pairs a turn, and 8 additions that move the other point.

#include "baselines/pair_rate.h"
#include "similarity.h"

#include "common/cuda_check.h"

constexpr int kThreads = 128;
constexpr int kBlocksPerMultiprocessor = 12;
constexpr int kPoints = 4;
constexpr int kOthersPerTurn = 8;
constexpr int kTurns = 1000;

__global__ void __launch_bounds__(kThreads) pair_rate_kernel(float* unused, float step, int turns) {
  float2 own[kPoints], push[kPoints] = {};
  float sum[kPoints] = {};
#pragma unroll
  for (int k = 0; k < kPoints; ++k) {
    own[k] = {static_cast<float>(threadIdx.x) * 0.25f, static_cast<float>(k)};
  }
  float2 other{step, -step};
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int j = 0; j < kOthersPerTurn; ++j) {
      other.x += step;
#pragma unroll
      for (int k = 0; k < kPoints; ++k) {
        const float dx = own[k].x - other.x, dy = own[k].y - other.y;
        const float q = similarity(dx, dy);
        push[k].x += q * q * dx;
        push[k].y += q * q * dy;
        sum[k] += q;
      }
      other.y += step * 0.5f;
    }
  }
  float all = 0;
#pragma unroll
  for (int k = 0; k < kPoints; ++k) all += push[k].x + push[k].y + sum[k];
  if (all == 0.123456789f) *unused = all;
}

double pair_rate(float* unused, cudaStream_t stream) {
  int device = 0, multiprocessors = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  const int blocks = multiprocessors * kBlocksPerMultiprocessor;
  pair_rate_kernel<<<blocks, kThreads, 0, stream>>>(unused, /*step=*/0.001f, kTurns);
  CUDA_CHECK(cudaGetLastError());
  return static_cast<double>(kPoints * kOthersPerTurn) * kTurns * kThreads * blocks;
}
