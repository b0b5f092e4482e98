// Stage 06: vectorized
//
// A thread turns blocks of 4 x 4 floats: it reads 16 bytes from each of four rows of `in`, swaps
// them about in registers, and writes 16 bytes to each of four rows of the tile, which holds columns
// of `in` as its rows. After the barrier it copies 16-byte pieces of the tile to rows of `out`.
//
// The tile needs no padding: piece p of its row r lies at p ^ (r / 4 % 8). A 16-byte access serves
// 8 lanes at a time, and 8 neighbouring lanes meet 8 pieces that differ modulo 8, so all 32 banks:
// on the way in their rows lie 4 apart and p is one, on the way out the row is one and p counts up.
//
// Blocks are numbered down the columns of tiles, so that blocks which run together write long
// stretches of the rows of `out`.
//
// All this needs rows of `in` that start on 16 bytes, and rows of `out` on 32, a sector. For other
// extents transpose_ragged_kernel moves 4 bytes a lane, and cuts every row of `out` where a sector
// starts: no sector is shared by two blocks. For that it reads 72 rows to write 64.
//
// Cost: a request moves 512 bytes in 16 sectors, the fewest there can be, both ways, and there are
// a quarter as many as in stage 05. Next: 07_bulk_copy.cu.

#include "transpose.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kTile = 64;           // floats: 256 bytes, whole sectors, of each row of either matrix
constexpr int kPieces = kTile / 4;  // of 16 bytes in a row of the tile
constexpr int kThreads = 128;       // a thread turns two blocks of 4 x 4: 128 bytes on their way to it
constexpr int kBlockRows = kThreads / kPieces;  // rows of blocks that the threads turn at a time

__global__ void transpose_vectorized_kernel(const float* __restrict__ in, float* __restrict__ out,
                                            int rows, int cols) {
  __shared__ float4 tile[kTile][kPieces];  // 16 KB; a float4 holds four rows of a column of `in`

  const int tiles_down = ceil_div(rows, kTile);
  const int first_row = blockIdx.x % tiles_down * kTile;
  const int first_col = blockIdx.x / tiles_down * kTile;
  const int x = threadIdx.x % kPieces;
  const int y = threadIdx.x / kPieces;

  float4 r[2][4] = {};  // all eight are asked for before the first is used
  for (int b = 0; b < 2; ++b) {
    const int row = first_row + 4 * (y + b * kBlockRows);
    const int col = first_col + 4 * x;
    for (int i = 0; i < 4; ++i) {
      // The extents are multiples of 4: the matrix's edge cuts no block.
      if (row < rows && col < cols) {
        r[b][i] = *reinterpret_cast<const float4*>(in + static_cast<std::size_t>(row + i) * cols + col);
      }
    }
  }
  for (int b = 0; b < 2; ++b) {
    const int piece = (y + b * kBlockRows) ^ (x % 8);
    tile[4 * x + 0][piece] = make_float4(r[b][0].x, r[b][1].x, r[b][2].x, r[b][3].x);
    tile[4 * x + 1][piece] = make_float4(r[b][0].y, r[b][1].y, r[b][2].y, r[b][3].y);
    tile[4 * x + 2][piece] = make_float4(r[b][0].z, r[b][1].z, r[b][2].z, r[b][3].z);
    tile[4 * x + 3][piece] = make_float4(r[b][0].w, r[b][1].w, r[b][2].w, r[b][3].w);
  }

  __syncthreads();  // below, a thread reads what others wrote

#pragma unroll
  for (int i = 0; i < kTile; i += kBlockRows) {
    const int row = first_col + i + y;  // of `out`
    const int col = first_row + 4 * x;
    if (row < cols && col < rows) {
      *reinterpret_cast<float4*>(out + static_cast<std::size_t>(row) * rows + col) =
          tile[i + y][x ^ ((i + y) / 4 % 8)];
    }
  }
}

constexpr int kSector = 8;  // floats in 32 bytes, the least that memory moves
constexpr int kRaggedRows = kTile + kSector;  // of `in`: a row of `out` may be cut 7 floats early
constexpr int kRaggedCols = 128;  // wide: each row read brings up to a sector too much at its ends
constexpr int kRaggedThreads = 256;  // 8 warps share out 72 rows, and 128 columns, evenly
constexpr int kRaggedWarps = kRaggedThreads / 32;
constexpr int kBlocksPerSm = 1;  // asks for no more, so the compiler may use registers freely

__global__ void __launch_bounds__(kRaggedThreads, kBlocksPerSm)
transpose_ragged_kernel(const float* __restrict__ in, float* __restrict__ out, int rows, int cols) {
  __shared__ float tile[kRaggedRows][kRaggedCols + 1];  // + 1: a column covers all banks

  const int tiles_down = ceil_div(rows + kSector - 1, kTile);
  const int first_row = blockIdx.x % tiles_down * kTile - kSector;  // -8 in the first tile
  const int first_col = blockIdx.x / tiles_down * kRaggedCols;
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;

  float r[kRaggedRows / kRaggedWarps][kRaggedCols / 32];  // all asked for before the first is used
  for (int i = 0; i < kRaggedRows / kRaggedWarps; ++i) {
    const int row = first_row + kRaggedWarps * i + warp;
    const bool row_exists = row >= 0 && row < rows;
    for (int j = 0; j < kRaggedCols / 32; ++j) {
      const int col = first_col + 32 * j + lane;
      if (row_exists && col < cols) r[i][j] = in[static_cast<std::size_t>(row) * cols + col];
    }
  }
  for (int i = 0; i < kRaggedRows / kRaggedWarps; ++i) {
    for (int j = 0; j < kRaggedCols / 32; ++j) {
      tile[kRaggedWarps * i + warp][32 * j + lane] = r[i][j];
    }
  }

  __syncthreads();  // below, a thread reads what others wrote

#pragma unroll
  for (int i = 0; i < kRaggedCols; i += kRaggedWarps) {
    const int col = first_col + i + warp;
    const std::size_t out_start = static_cast<std::size_t>(col) * rows;
    const int early = out_start % kSector;  // so many floats of the sector belong to the row above
    for (int j = 0; j < kTile; j += 32) {
      const int tile_row = kSector - early + j + lane;
      const int row = first_row + tile_row;
      if (row >= 0 && row < rows && col < cols) out[out_start + row] = tile[tile_row][i + warp];
    }
  }
}

void transpose(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream) {
  if (rows % kSector == 0 && cols % 4 == 0) {
    const dim3 grid(ceil_div(cols, kTile) * ceil_div(rows, kTile));
    transpose_vectorized_kernel<<<grid, kThreads, 0, stream>>>(d_in, d_out, rows, cols);
  } else {
    const dim3 grid(ceil_div(cols, kRaggedCols) * ceil_div(rows + kSector - 1, kTile));
    transpose_ragged_kernel<<<grid, kRaggedThreads, 0, stream>>>(d_in, d_out, rows, cols);
  }
  CUDA_CHECK(cudaGetLastError());
}
