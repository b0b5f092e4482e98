// Stage 13: one warpgroup
//
// The products x y of all pairs are a matrix times its transpose. Tensor cores compute them, as
// three products of TF32 numbers instead of one of floats, with wgmma, the instruction of a
// warpgroup (chapter 11, stages 04 and 05). The matrix `a` of that chapter is the vectors i here,
// the rows of the result; a column of its `b` is a vector j. The accuracy is that of three TF32
// products.
//
// Centring stores the vectors row by row. A block is one warpgroup and computes 64 x 128 pairs. For
// each step of 32 components its threads write the 128 vectors j to shared memory in the order that
// the instruction needs, and next to them the residuals of their TF32 numbers. The vectors i are
// loaded directly to registers. While the instruction runs, no loads are in flight.
//
// Cost: per step, 12 instructions of 64 x 128 x 8 multiply-adds. A thread loads 8 float4 of the
// vectors j and stores 16, without bank conflicts, and loads 16 floats of the vectors i. A store of
// distances goes to 8 rows, four elements in each: 8 to 16 sectors instead of 4. Compute capability
// 9.0 only. Next: products/14_ordered_tiles.cu.
//
// Requires: compute capability 9.0a

#include "products/centred_rows.h"
#include "products/centre_kernel.h"
#include "distances.h"
#include "tile_index.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"
#include "common/error_bound.h"
#include "common/tf32.h"
#include "common/warpgroup.h"

#include <cstddef>

constexpr int kGroupThreads = 128;
constexpr int kTileVectors = 128, kGroupRows = 64;  // two groups make a tile of the result
constexpr int kMmas = kStepDepth / 8, kChunks = kStepDepth / 4;  // per step; chunks of 16 bytes

// A step of 128 vectors: a row is a vector's 128 bytes. Its chunks are permuted, so that chunks of
// adjacent vectors are in different banks.
struct alignas(1024) Step {
  float4 cols[kTileVectors][kChunks], rests_of_cols[kTileVectors][kChunks];
};

__global__ void __launch_bounds__(kGroupThreads)
    one_warpgroup_kernel(Rows vectors, const float* __restrict__ norms,
                         float* __restrict__ distances, int count) {
  __shared__ Step shared;
  const auto [tile_i, tile_j] = tile_at(blockIdx.x / 2, ceil_div(count, kTileVectors));
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, group = blockIdx.x % 2;
  const int first_row = tile_i * kTileVectors + group * kGroupRows + warp * 16 + lane / 4;
  const int first_col = tile_j * kTileVectors;

  float sums[64] = {};
  for (int step = 0; step < vectors.pitch; step += kStepDepth) {
    for (int load = threadIdx.x; load < kTileVectors * kChunks; load += kGroupThreads) {
      const int vector = load / kChunks, chunk = load % kChunks, place = chunk ^ vector % 8;
      const std::size_t at = static_cast<std::size_t>(first_col + vector) * vectors.pitch + step;
      const float4 x = reinterpret_cast<const float4*>(&vectors.values[at])[chunk];
      shared.cols[vector][place] = x;
      shared.rests_of_cols[vector][place] =
          make_float4(tf32_rest(x.x), tf32_rest(x.y), tf32_rest(x.z), tf32_rest(x.w));
    }

    float of_rows[kMmas][4], rests_of_rows[kMmas][4];
#pragma unroll
    for (int i = 0; i < kMmas; ++i) {
      for (int r = 0; r < 4; ++r) {
        const std::size_t row = first_row + r % 2 * 8;
        of_rows[i][r] = vectors.values[row * vectors.pitch + step + 8 * i + r / 2 * 4 + lane % 4];
        rests_of_rows[i][r] = tf32_rest(of_rows[i][r]);
      }
    }

    fence_for_tensor_cores();  // the writes of this thread are visible to the tensor cores,
    __syncthreads();           // and those of all other threads

    float step_sums[64];
    fence_registers_for_mma(of_rows, rests_of_rows);  // the small products first
#pragma unroll
    for (int i = 0; i < kMmas; ++i) {
      start_mma(step_sums, rests_of_rows[i], matrix_descriptor(&shared.cols[0][2 * i]), i > 0);
      start_mma(step_sums, of_rows[i], matrix_descriptor(&shared.rests_of_cols[0][2 * i]), true);
    }
#pragma unroll
    for (int i = 0; i < kMmas; ++i) {
      start_mma(step_sums, of_rows[i], matrix_descriptor(&shared.cols[0][2 * i]), true);
    }
    wait_for_mma(step_sums);
    __syncthreads();  // the next step overwrites this one
#pragma unroll
    for (int i = 0; i < 64; ++i) sums[i] += step_sums[i];
  }

#pragma unroll
  for (int sum = 0; sum < 64; ++sum) {
    const int i = first_row + sum % 4 / 2 * 8;
    const int j = first_col + sum / 4 * 8 + lane % 4 * 2 + sum % 2;
    if (i < j && j < count) {
      distances[pair_index(i, j, count)] = distance_of_product(norms[i] + norms[j], sums[sum]);
    }
  }
}

void squared_distances(const Points& points, float* distances, void* workspace,
                       cudaStream_t stream) {
  require_valid(points);
  const auto [data, count, dimensions, layout] = points;
  if (count < 2) return;  // a grid has at least one block
  const Centring centring(count, dimensions, workspace);
  const Rows rows{centring.behind, static_cast<int>(centring.components())};
  launch_centring(points, centring, rows, stream);

  const dim3 grid(static_cast<unsigned>(2 * tile_count(ceil_div(count, kTileVectors))));
  one_warpgroup_kernel<<<grid, kGroupThreads, 0, stream>>>(rows, centring.norms, distances, count);
  CUDA_CHECK(cudaGetLastError());
}

std::size_t workspace_bytes(int count, int dimensions) {
  if (count < 2) return 0;
  const Centring centring(count, dimensions, nullptr);
  return centring.bytes() + centring.values_bytes();
}
ErrorBound error_bound(int dimensions) {
  return product_error_bound(three_tf32_error_bound(dimensions, kStepDepth), Origin::kMean);
}
