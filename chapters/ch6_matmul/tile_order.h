#pragma once

#include <cuda_runtime.h>

// The tile of c that a block makes: its row and column, counted in tiles.
struct TilePosition {
  int row, col;
};

// Blocks run in the order of their numbers, one or two a multiprocessor at a time. Numbered along
// rows of tiles, these would use a few rows of `a` and all of `b`. So tiles are numbered down
// columns of kHeight tiles, one column after the other: those of blocks that run at the same time
// are then nearly a square, and most of what they load is in the L2 cache, where others have
// brought it.
template <int kHeight>
__device__ inline TilePosition tile_position(int tiles_down, int tiles_across) {
  const int block = static_cast<int>(blockIdx.x);
  const int band = block / (kHeight * tiles_across), in_band = block % (kHeight * tiles_across);
  const int first_row = band * kHeight;
  const int height = min(kHeight, tiles_down - first_row);  // the last band may be lower
  return {first_row + in_band % height, in_band / height};
}
