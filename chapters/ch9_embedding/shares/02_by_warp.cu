// Shares, step 02: one warp per row, in registers
//
// A row of 90 distances is three floats for each of 32 lanes. A warp loads its row once, coalesced,
// and keeps it: each precision that it tries costs exponentials and two sums over the warp, but no
// memory access. All lanes get the sums (__shfl_xor_sync), so all lanes take the same branches.
//
// The number of distances is not a compile-time constant, and registers cannot be indexed. So the
// loops run to the maximum, 16 per lane, and are unrolled. A condition that is the same in all
// lanes ends them early.
//
// Cost: each distance is loaded once and each share stored once, 4 sectors per request except for
// the first and the last of a row.

#include "shares/search.h"
#include "shares/shares.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kThreads = 128;
constexpr int kWarps = kThreads / 32;
constexpr int kMostEach = kMaxNeighbours / 32;

// Combines the values of all lanes; each lane has the result.
template <typename Combine>
__device__ float over_warp(float value, Combine combine) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value = combine(value, __shfl_xor_sync(0xffffffff, value, offset));
  }
  return value;
}

__device__ float add(float a, float b) { return a + b; }

__global__ void shares_by_warp_kernel(const float* __restrict__ distances, float* shares,
                                      float* precisions, int rows, int neighbours,
                                      float perplexity) {
  const int i = blockIdx.x * kWarps + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (i >= rows) return;
  const std::size_t first = static_cast<std::size_t>(i) * neighbours;
  float above[kMostEach];  // the row's smallest distance; infinite in an empty slot
  float least = INFINITY, most = -INFINITY;
#pragma unroll
  for (int k = 0; k < kMostEach; ++k) {
    const int at = k * 32 + lane;
    above[k] = at < neighbours ? distances[first + at] : INFINITY;
    least = fminf(least, above[k]);
    if (at < neighbours) most = fmaxf(most, above[k]);
  }
  least = over_warp(least, fminf);
  most = over_warp(most, fmaxf);
  float tied = 0;
#pragma unroll
  for (int k = 0; k < kMostEach; ++k) {
    above[k] -= least;
    tied += above[k] == 0;
  }
  const float ties = over_warp(tied, add);

  const bool is_tied = ties > perplexity || least == most;
  PrecisionSearch search(most - least, perplexity);
  RowSums sums{ties};
  bool is_done = is_tied;
  while (!is_done) {
    sums = {0, 0};
#pragma unroll
    for (int k = 0; k < kMostEach; ++k) {  // up to the last distance
      if (k * 32 >= neighbours) break;
      const float exponent = search.precision() * above[k];
      const float weight = expf(-exponent);
      sums.weights += weight;
      if (weight > 0) sums.weighted += weight * exponent;  // 0 times infinity is NaN
    }
    sums = {over_warp(sums.weights, add), over_warp(sums.weighted, add)};
    is_done = search.is_done_with(entropy_of(sums));
  }
  if (lane == 0) precisions[i] = is_tied ? INFINITY : search.precision();
#pragma unroll
  for (int k = 0; k < kMostEach; ++k) {  // up to the last distance
    const int at = k * 32 + lane;
    if (at >= neighbours) break;
    const float weight =
        is_tied ? (above[k] == 0 ? 1.0f : 0.0f) : expf(-search.precision() * above[k]);
    shares[first + at] = weight / sums.weights;
  }
}

void find_shares(const float* d_distances, float* d_shares, float* d_precisions, int rows,
                 int neighbours, float perplexity, cudaStream_t stream) {
  if (rows == 0) return;  // a grid has at least one block
  const auto blocks = static_cast<unsigned>(ceil_div(rows, kWarps));
  shares_by_warp_kernel<<<blocks, kThreads, 0, stream>>>(d_distances, d_shares, d_precisions, rows,
                                                         neighbours, perplexity);
  CUDA_CHECK(cudaGetLastError());
}
