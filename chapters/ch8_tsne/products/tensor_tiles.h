#pragma once

// The centred vectors in the layout of wgmma: the common part of stages 14 to 18.

#include "products/centre_kernel.h"

#include "common/tf32.h"

#include <cuda_runtime.h>

#include <cstddef>

constexpr int kGroupThreads = 128;
constexpr int kTileVectors = 128;

using Tile = float[kTileVectors * kStepDepth];  // permuted: see tile_offset()

// The position of a chunk of 16 bytes of a tile's vector in the layout of wgmma: permuted, so that
// chunks of adjacent vectors are in different banks.
__device__ inline int tile_offset(int vector, int chunk) {
  return vector * kStepDepth + (chunk ^ vector % 8) * 4;
}

// Centred vectors in the workspace, [tile][step], and their residuals.
struct Tiles {
  Tile *values, *rests;
  int steps;

  __device__ void operator()(int vector, int step, int chunk, float4 x) const {
    const std::size_t tile = static_cast<std::size_t>(vector / kTileVectors) * steps + step;
    const int offset = tile_offset(vector % kTileVectors, chunk);
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

// Queues the kernels that centre, and returns the tiles that they will write.
inline Tiles launch_tiles(const Points& points, const Centring& centring, cudaStream_t stream) {
  Tile* const values = reinterpret_cast<Tile*>(centring.behind);
  const Tiles tiles{values, values + centring.values_bytes() / sizeof(Tile), centring.steps};
  launch_centring(points, centring, tiles, stream);
  return tiles;
}
