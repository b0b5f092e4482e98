// Stage 09: sector-aligned
//
// When `rows` is odd, rows of `out` start anywhere in a sector of 32 bytes. A tile's range of such
// a row begins and ends inside a sector, and an adjacent block writes the rest of this sector. Two
// partial writes cost the memory more than one full write. So this stage cuts each row of `out` at
// sector boundaries: a block writes 64 floats of each row, from the first boundary in its tile on,
// and reads 72 rows of `in`, because the cut may be up to 7 floats early.
//
// A thread requests all its 36 elements before it uses the first. Accesses have 4 bytes, so any
// extents are possible.
//
// Cost: 4 or 5 sectors per read request, depending on where the row starts; always 4 per write
// request. A block reads 72 rows to write 64. Most of the 8 additional rows are still in the L2
// cache. Next: 10_diagonal.cu.

#include "transpose.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kSector = 8;                     // floats in 32 bytes, the smallest transfer
constexpr int kOutCols = 64;                   // floats of each row of `out` that a block writes
constexpr int kTileRows = kOutCols + kSector;  // rows of `in`; the cut may be 7 floats early
constexpr int kTileCols = 128;  // wide, because each row read adds up to one sector at its ends
constexpr int kThreads = 256;   // 8 warps divide 72 rows, and 128 columns, evenly
constexpr int kWarps = kThreads / 32;
constexpr int kBlocksPerSm = 1;  // one is enough, so the compiler can use many registers

__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    transpose_sector_aligned_kernel(const float* __restrict__ in, float* __restrict__ out, int rows,
                                    int cols) {
  __shared__ float tile[kTileRows][kTileCols + 1];  // + 1: a column covers all banks

  const int tiles_down = ceil_div(rows + kSector - 1, kOutCols);
  const int first_row = blockIdx.x % tiles_down * kOutCols - kSector;  // -8 in the first tile
  const int first_col = blockIdx.x / tiles_down * kTileCols;
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;

  float r[kTileRows / kWarps][kTileCols / 32] = {};  // all requested before the first is used
  for (int i = 0; i < kTileRows / kWarps; ++i) {
    const int row = first_row + kWarps * i + warp;
    const bool row_exists = row >= 0 && row < rows;
    for (int j = 0; j < kTileCols / 32; ++j) {
      const int col = first_col + 32 * j + lane;
      if (row_exists && col < cols) r[i][j] = in[static_cast<std::size_t>(row) * cols + col];
    }
  }
  for (int i = 0; i < kTileRows / kWarps; ++i) {
    for (int j = 0; j < kTileCols / 32; ++j) {
      tile[kWarps * i + warp][32 * j + lane] = r[i][j];
    }
  }

  __syncthreads();  // below, a thread reads elements that other threads wrote

#pragma unroll
  for (int i = 0; i < kTileCols; i += kWarps) {
    const int col = first_col + i + warp;
    const std::size_t out_start = static_cast<std::size_t>(col) * rows;
    const int early = out_start % kSector;  // floats of the sector that belong to the row above
    for (int j = 0; j < kOutCols; j += 32) {
      const int tile_row = kSector - early + j + lane;
      const int row = first_row + tile_row;
      if (row >= 0 && row < rows && col < cols) out[out_start + row] = tile[tile_row][i + warp];
    }
  }
}

void transpose(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream) {
  const dim3 grid(ceil_div(cols, kTileCols) * ceil_div(rows + kSector - 1, kOutCols));
  transpose_sector_aligned_kernel<<<grid, kThreads, 0, stream>>>(d_in, d_out, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}
