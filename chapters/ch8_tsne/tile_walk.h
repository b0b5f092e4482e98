#pragma once

#include <cuda_runtime.h>

// Goes through the tiles that a triangle of pairs needs: kRowTiles x 1 tiles of the distance
// matrix, those that reach above its diagonal. It has `tiles` rows and columns of tiles.
//
// In the order of rows, blocks that run at the same time would use all vectors. So a band of
// kBandWidth columns is gone through from its top to the diagonal, then the next one: what these
// blocks load is nearly a square, and most of it is in the L2 cache, where others have brought it.
template <int kRowTiles, int kBandWidth>
class TileWalk {
 public:
  // Begins with tile number `first` of that order.
  __host__ __device__ TileWalk(int tiles, int first) : tiles_(tiles) { advance(first); }

  __host__ __device__ bool is_done() const { return band_ >= tiles_; }
  __host__ __device__ int row() const { return row_; }  // the first of kRowTiles
  __host__ __device__ int col() const { return first_col() + in_row_; }

  __host__ __device__ void advance(int by) {
    in_row_ += by;
    while (!is_done() && in_row_ >= band_end() - first_col()) {
      in_row_ -= band_end() - first_col();
      row_ += kRowTiles;
      if (row_ >= band_end()) {
        row_ = 0;
        band_ += kBandWidth;
      }
    }
  }

  // How many tiles there are.
  __host__ __device__ static long long count(int tiles) {
    long long sum = 0;
    for (int row = 0; row < tiles; row += kRowTiles) sum += tiles - row;
    return sum;
  }

 private:
  __host__ __device__ int first_col() const { return band_ > row_ ? band_ : row_; }
  __host__ __device__ int band_end() const {
    return band_ + kBandWidth < tiles_ ? band_ + kBandWidth : tiles_;
  }

  int tiles_, band_ = 0, row_ = 0, in_row_ = 0;
};
