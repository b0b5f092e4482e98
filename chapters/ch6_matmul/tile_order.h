#pragma once

#include <cuda_runtime.h>

// The position of a block's tile of c: its row and column, counted in tiles.
struct TilePosition {
  int row, col;
};

// Blocks start in the order of their numbers, and one or two run on a multiprocessor at a time. If
// tiles were numbered row by row, these blocks would use a few rows of `a` and all of `b`. So tiles
// are numbered down columns of kHeight tiles, one column after another. Then blocks that run at the
// same time compute nearly a square, and most of their data is in the L2 cache already, because
// other blocks have loaded it.
template <int kHeight>
__device__ inline TilePosition tile_position(int tiles_down, int tiles_across) {
  const int block = static_cast<int>(blockIdx.x);
  const int band = block / (kHeight * tiles_across), in_band = block % (kHeight * tiles_across);
  const int first_row = band * kHeight;
  const int height = min(kHeight, tiles_down - first_row);  // the last band may be lower
  return {first_row + in_band % height, in_band / height};
}
