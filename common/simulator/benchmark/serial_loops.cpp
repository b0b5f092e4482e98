#include "common/simulator/benchmark/serial_loops.h"

#include <algorithm>

namespace serial {

void naive_product(const float* a, const float* b, float* c, int n) {
  for (int row = 0; row < n; ++row) {
    for (int col = 0; col < n; ++col) {
      float sum = 0.0f;
      for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
      c[row * n + col] = sum;
    }
  }
}

void tiled_product(const float* a, const float* b, float* c, int n) {
  constexpr int kTile = 16;
  float a_tile[kTile][kTile], b_tile[kTile][kTile], sums[kTile][kTile];
  for (int first_row = 0; first_row < n; first_row += kTile) {
    for (int first_col = 0; first_col < n; first_col += kTile) {
      std::fill_n(&sums[0][0], kTile * kTile, 0.0f);
      for (int first = 0; first < n; first += kTile) {
        for (int y = 0; y < kTile; ++y) {
          for (int x = 0; x < kTile; ++x) {
            a_tile[y][x] = a[(first_row + y) * n + first + x];
            b_tile[y][x] = b[(first + y) * n + first_col + x];
          }
        }
        for (int y = 0; y < kTile; ++y) {
          for (int x = 0; x < kTile; ++x) {
            for (int k = 0; k < kTile; ++k) sums[y][x] += a_tile[y][k] * b_tile[k][x];
          }
        }
      }
      for (int y = 0; y < kTile; ++y)
        std::copy_n(sums[y], kTile, c + (first_row + y) * n + first_col);
    }
  }
}

void tree_sums(const float* in, float* out, std::size_t blocks) {
  float partial[256];
  for (std::size_t block = 0; block < blocks; ++block) {
    std::copy_n(in + block * 256, 256, partial);
    for (int half = 128; half > 0; half /= 2) {
      for (int i = 0; i < 256; ++i) {
        if (i < half) partial[i] += partial[i + half];
      }
    }
    out[block] = partial[0];
  }
}

void shuffle_sums(const float* in, float* out, std::size_t warps) {
  float sums[32], shuffled[32];
  for (std::size_t warp = 0; warp < warps; ++warp) {
    std::copy_n(in + warp * 32, 32, sums);
    for (int delta = 16; delta > 0; delta /= 2) {
      for (int lane = 0; lane < 32; ++lane)
        shuffled[lane] = sums[lane + delta < 32 ? lane + delta : lane];
      for (int lane = 0; lane < 32; ++lane) sums[lane] += shuffled[lane];
    }
    out[warp] = sums[0];
  }
}

void collatz(int* steps, int size) {
  for (int i = 0; i < size; ++i) {
    unsigned long long n = static_cast<unsigned>(i) + 1;
    int count = 0;
    for (; n != 1; ++count) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    steps[i] = count;
  }
}

}  // namespace serial
