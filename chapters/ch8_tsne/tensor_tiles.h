#pragma once

// The centred vectors as wgmma wants them, and what a warpgroup does with a step of them: what
// stages 09, 10 and 11 have in common.

#include "centring.h"

#include "common/tf32.h"
#include "common/warpgroup.h"

#include <cuda_runtime.h>

#include <cstddef>

constexpr int kGroupThreads = 128;
constexpr int kTileVectors = 128;

using Tile = float[kTileVectors * kStepDepth];  // permuted: see tile_offset()

// Where wgmma looks for the pieces of 16 bytes of a tile's vectors: permuted, so that pieces of
// neighbouring vectors lie in different banks.
__device__ inline int tile_offset(int vector, int piece) {
  return vector * kStepDepth + (piece ^ vector % 8) * 4;
}

// Centred vectors in the workspace, [tile][step], and their rests.
struct Tiles {
  Tile *values, *rests;
  int steps;

  __device__ void operator()(int vector, int step, int piece, float4 x) const {
    const std::size_t tile = static_cast<std::size_t>(vector / kTileVectors) * steps + step;
    const int offset = tile_offset(vector % kTileVectors, piece);
    *reinterpret_cast<float4*>(&values[tile][offset]) = x;
    *reinterpret_cast<float4*>(&rests[tile][offset]) =
        make_float4(tf32_rest(x.x), tf32_rest(x.y), tf32_rest(x.z), tf32_rest(x.w));
  }
};

inline std::size_t tiles_workspace_bytes(int count, int dimensions) {
  if (count < 2) return 0;
  const Centring centring(count, dimensions, nullptr);
  return centring.bytes() + 2 * centring.values_bytes();
}

// Queues the kernels that centre, and says where they leave the tiles.
inline Tiles launch_tiles(const Points& points, const Centring& centring, cudaStream_t stream) {
  Tile* const values = reinterpret_cast<Tile*>(centring.behind);
  const Tiles tiles{values, values + centring.values_bytes() / sizeof(Tile), centring.steps};
  launch_centring(points, Origin::kMean, centring, tiles, stream);
  return tiles;
}

// Adds a step's products, the first kMmas times 8 of them, to a warpgroup's 64 x 128 sums:
// sums[4 j + r] is that of the warp's row lane / 4 + 8 (r / 2) and of column
// 8 j + 2 (lane % 4) + r % 2. The tensor cores add up one step only, as they do not round.
template <int kMmas>
__device__ void add_some_products(float (&sums)[64], const Tile& rows, const Tile& cols,
                                  const Tile& rests_of_cols, int first_row) {
  const int lane = threadIdx.x % 32;
  float of_rows[kMmas][4], rests_of_rows[kMmas][4];
#pragma unroll
  for (int i = 0; i < kMmas; ++i) {
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      const int row = first_row + lane / 4 + r % 2 * 8;
      of_rows[i][r] = rows[tile_offset(row, 2 * i + r / 2) + lane % 4];
      rests_of_rows[i][r] = tf32_rest(of_rows[i][r]);
    }
  }

  float step_sums[64];
  fence_registers_for_mma();  // the small products first
#pragma unroll
  for (int i = 0; i < kMmas; ++i) {
    start_mma(step_sums, rests_of_rows[i], matrix_descriptor(&cols[8 * i]), i > 0);
    start_mma(step_sums, of_rows[i], matrix_descriptor(&rests_of_cols[8 * i]), true);
  }
#pragma unroll
  for (int i = 0; i < kMmas; ++i) {
    start_mma(step_sums, of_rows[i], matrix_descriptor(&cols[8 * i]), true);
  }
  wait_for_mma(step_sums);
#pragma unroll
  for (int i = 0; i < 64; ++i) sums[i] += step_sums[i];
}

// The same of all products of a step that has so many components, or more, still to come.
__device__ inline void add_products(float (&sums)[64], const Tile& rows, const Tile& cols,
                                    const Tile& rests_of_cols, int first_row, int components) {
  if (components <= kStepDepth / 2) {  // the last step may have so few
    add_some_products<kStepDepth / 16>(sums, rows, cols, rests_of_cols, first_row);
  } else {
    add_some_products<kStepDepth / 8>(sums, rows, cols, rests_of_cols, first_row);
  }
}
