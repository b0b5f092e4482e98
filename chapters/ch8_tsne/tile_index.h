#pragma once

#include "pair_index.h"

// The distance matrix in square tiles: only tiles on and above the diagonal hold pairs i < j.

__host__ __device__ constexpr long long tile_count(int tiles_across) {
  return pair_count(tiles_across + 1);
}

// The row i and the column j, in tiles, of one of tile_count() tiles: i <= j. Row after row. Tile
// (i, j) has the index of the pair (i, j + 1) among one more element.
__host__ __device__ inline Pair tile_at(long long index, int tiles_across) {
  const Pair pair = pair_at(index, tiles_across + 1);
  return {pair.i, pair.j - 1};
}
