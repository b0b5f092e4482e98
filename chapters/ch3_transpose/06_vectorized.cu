// Stage 06: vectorized
//
// A thread takes a block of 4 x 4 floats: four 16-byte reads from four rows of `in`, a turn in
// registers, four 16-byte writes into the tile, which now holds columns of `in` as its rows. After
// the barrier a thread copies four 16-byte pieces of the tile to four rows of `out`.
//
// The tile needs no padding: 16-byte piece p of its row r lies at p ^ (r / 4 % 8). A 16-byte access
// goes through the 32 banks 8 lanes at a time, and 8 neighbouring lanes meet 8 different piece
// numbers modulo 8, on the way in (same p, eight r / 4) and on the way out (same r, eight p).
//
// Blocks are numbered down a column of tiles, so those that run together write long stretches of
// the rows of `out`. 16-byte accesses need rows that start on 16 bytes. Where an extent is no
// multiple of 4, transpose_ragged_kernel moves 4 bytes a lane, and cuts the rows of `out` at
// 32-byte sectors, so that no sector is written by two blocks.
//
// Cost: 512 bytes and 16 sectors a global request, both ways, the fewest there can be; per float 1/4
// of the instructions of stage 05. The ragged kernel reads 72 rows for 64. Next: 07_bulk_copy.cu.

#include "transpose.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kTile = 64;            // floats a side: 256 bytes, 8 whole sectors, of every row it meets
constexpr int kPieces = kTile / 4;   // of 16 bytes, in a row of the tile
constexpr int kThreads = kPieces * kPieces;  // one for each block of 4 x 4

__global__ void transpose_vectorized_kernel(const float* __restrict__ in, float* __restrict__ out,
                                            int rows, int cols) {
  __shared__ float4 tile[kTile][kPieces];  // 16 KB: four rows of `in` in a float4

  const int tiles_down = ceil_div(rows, kTile);
  const int first_row = blockIdx.x % tiles_down * kTile;
  const int first_col = blockIdx.x / tiles_down * kTile;
  const int x = threadIdx.x % kPieces;
  const int y = threadIdx.x / kPieces;

  const int in_row = first_row + 4 * y;
  const int in_col = first_col + 4 * x;
  if (in_row < rows && in_col < cols) {  // multiples of 4: the matrix's edge cuts no block of 4 x 4
    float4 r[4];
    for (int i = 0; i < 4; ++i) {
      r[i] = *reinterpret_cast<const float4*>(in + static_cast<std::size_t>(in_row + i) * cols + in_col);
    }
    const int piece = y ^ (x % 8);
    tile[4 * x + 0][piece] = make_float4(r[0].x, r[1].x, r[2].x, r[3].x);
    tile[4 * x + 1][piece] = make_float4(r[0].y, r[1].y, r[2].y, r[3].y);
    tile[4 * x + 2][piece] = make_float4(r[0].z, r[1].z, r[2].z, r[3].z);
    tile[4 * x + 3][piece] = make_float4(r[0].w, r[1].w, r[2].w, r[3].w);
  }

  __syncthreads();  // below, a thread reads what others wrote

  const int out_row = first_col + 4 * y;
  const int out_col = first_row + 4 * x;
  if (out_row < cols && out_col < rows) {
    const int piece = x ^ (y % 8);
    for (int i = 0; i < 4; ++i) {
      *reinterpret_cast<float4*>(out + static_cast<std::size_t>(out_row + i) * rows + out_col) =
          tile[4 * y + i][piece];
    }
  }
}

constexpr int kSector = 8;                     // floats in 32 bytes
constexpr int kRaggedRows = kTile + kSector;   // of `in`: a row of `out` may start up to 7 floats early
constexpr int kWarps = kThreads / 32;

__global__ void transpose_ragged_kernel(const float* __restrict__ in, float* __restrict__ out,
                                        int rows, int cols) {
  __shared__ float tile[kRaggedRows][kTile + 1];  // a column of it covers all banks

  const int tiles_down = ceil_div(rows + kSector - 1, kTile);
  const int first_row = blockIdx.x % tiles_down * kTile - kSector;  // -8 in the first tile
  const int first_col = blockIdx.x / tiles_down * kTile;
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;

#pragma unroll
  for (int i = 0; i < kRaggedRows; i += kWarps) {
    const int row = first_row + i + warp;
#pragma unroll
    for (int j = 0; j < kTile; j += 32) {
      const int col = first_col + j + lane;
      if (row >= 0 && row < rows && col < cols) {
        tile[i + warp][j + lane] = in[static_cast<std::size_t>(row) * cols + col];
      }
    }
  }

  __syncthreads();  // below, a thread reads what others wrote

#pragma unroll
  for (int i = 0; i < kTile; i += kWarps) {
    const int col = first_col + i + warp;
    const std::size_t out_start = static_cast<std::size_t>(col) * rows;
    const int early = out_start % kSector;  // this row of `out` is cut so many floats early
#pragma unroll
    for (int j = 0; j < kTile; j += 32) {
      const int tile_row = kSector - early + j + lane;
      const int row = first_row + tile_row;
      if (row >= 0 && row < rows && col < cols) out[out_start + row] = tile[tile_row][i + warp];
    }
  }
}

void transpose(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream) {
  const int tiles_across = ceil_div(cols, kTile);
  if (rows % 4 == 0 && cols % 4 == 0) {
    const dim3 grid(tiles_across * ceil_div(rows, kTile));
    transpose_vectorized_kernel<<<grid, kThreads, 0, stream>>>(d_in, d_out, rows, cols);
  } else {
    const dim3 grid(tiles_across * ceil_div(rows + kSector - 1, kTile));
    transpose_ragged_kernel<<<grid, kThreads, 0, stream>>>(d_in, d_out, rows, cols);
  }
  CUDA_CHECK(cudaGetLastError());
}
