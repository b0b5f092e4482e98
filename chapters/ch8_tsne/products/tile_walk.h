#pragma once

#include <cuda_runtime.h>

// Iterates over the tiles that a triangle of pairs needs: kRowTiles x 1 tiles of the distance
// matrix, those that reach above its diagonal. It has `tiles` rows and columns of tiles.
//
// In row order, blocks that run at the same time would use all vectors. So the walk covers a band
// of kBandWidth columns from its top to the diagonal, then the next band: the tiles of these blocks
// form nearly a square, and most of their data is in the L2 cache already, because other blocks
// have loaded it.
template <int kRowTiles, int kBandWidth>
class TileWalk {
 public:
  // Starts with tile number `first` of that order. Each block computes its position, so no loop
  // goes over the earlier tiles.
  __host__ __device__ TileWalk(int tiles, int first) : tiles_(tiles) {
    const int bands = bands_before(first);
    band_ = bands * kBandWidth;
    if (is_done()) return;
    in_row_ = first - tiles_of(bands);
    const int width = band_end() - band_;
    const int above = in_row_ / width < band_ / kRowTiles ? in_row_ / width : band_ / kRowTiles;
    row_ = above * kRowTiles;  // rows above the diagonal are as long as the band is wide
    in_row_ -= above * width;
    advance(0);  // on the diagonal each row is shorter than the previous one: at most 16 of them
  }

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

  // The number of tiles.
  __host__ __device__ static long long count(int tiles) {
    long long sum = 0;
    for (int row = 0; row < tiles; row += kRowTiles) sum += tiles - row;
    return sum;
  }

 private:
  // The number of tiles in the first bands, all complete. On the diagonal a band has kOnDiagonal of
  // them, and above it band number b has b times kPerBand.
  static constexpr int kPerBand = kBandWidth * kBandWidth / kRowTiles;
  static constexpr int kOnDiagonal = (kPerBand + kBandWidth) / 2;
  static_assert(kBandWidth % kRowTiles == 0 && kPerBand % 2 == 0, "whole rows in a band");
  __host__ __device__ static int tiles_of(int bands) {
    return kPerBand / 2 * bands * (bands - 1) + kOnDiagonal * bands;
  }
  // The largest number of bands with no more than `first` tiles. It solves tiles_of(bands) = first,
  // and corrects the rounding.
  __host__ __device__ static int bands_before(int first) {
    constexpr float kHalf = kBandWidth / 2.0f;
    int bands =
        static_cast<int>((sqrtf(kHalf * kHalf + 2.0f * kPerBand * first) - kHalf) / kPerBand);
    while (tiles_of(bands + 1) <= first) ++bands;
    while (tiles_of(bands) > first) --bands;
    return bands;
  }

  __host__ __device__ int first_col() const { return band_ > row_ ? band_ : row_; }
  __host__ __device__ int band_end() const {
    return band_ + kBandWidth < tiles_ ? band_ + kBandWidth : tiles_;
  }

  int tiles_, band_ = 0, row_ = 0, in_row_ = 0;
};
