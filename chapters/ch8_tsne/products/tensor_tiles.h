#pragma once

// The centred vectors as wgmma wants them: what stages 14 to 18 have in common.

#include "products/centre_kernel.h"

#include "common/tf32.h"

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
  launch_centring(points, centring, tiles, stream);
  return tiles;
}
