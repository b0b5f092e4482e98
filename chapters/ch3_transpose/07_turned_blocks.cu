// Stage 07: turned blocks
//
// A thread reads 16 bytes from each of four rows of `in`, a block of 4 x 4 floats, and transposes
// the block in its registers. It writes 16 bytes to each of four rows of the tile, whose rows are
// columns of `in`. After the barrier it copies chunks of 16 bytes from the tile to rows of `out`.
//
// The tile is swizzled by chunks: chunk p of row r is stored at p ^ (r / 4 % 8). A 16-byte access
// serves 8 lanes at a time, and 8 consecutive lanes use 8 chunks that differ modulo 8, so all 32
// banks. When the lanes write, their rows are 4 apart and p is constant. When they read, the row is
// constant and p counts up.
//
// 16-byte accesses need rows that start at a multiple of 16 bytes: extents that are multiples of 4.
// For other extents the floats are moved one at a time, and each sector is requested up to four
// times.
//
// Cost: a request transfers 512 bytes in 16 sectors, the minimum, for loads and for stores. The
// number of requests is a quarter of that of stage 06. Next: 08_vectorized.cu.

#include "transpose.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kTile = 64;  // floats: 256 bytes, whole sectors, of each row of either matrix
constexpr int kChunks = kTile / 4;              // chunks of 16 bytes in a row of the tile
constexpr int kThreads = kChunks * kChunks;     // a thread transposes one 4 x 4 block
constexpr int kBlockRows = kThreads / kChunks;  // rows of `out` that the threads write at a time

// Loads four adjacent elements of a row. Only the first `count` (at least 1) exist; others are 0.
template <bool kAligned>
__device__ float4 load4(const float* from, int count) {
  if (kAligned) return *reinterpret_cast<const float4*>(from);
  float4 v = {};
  v.x = from[0];
  if (count > 1) v.y = from[1];
  if (count > 2) v.z = from[2];
  if (count > 3) v.w = from[3];
  return v;
}

template <bool kAligned>
__device__ void store4(float* to, const float4& v, int count) {
  if (kAligned) {
    *reinterpret_cast<float4*>(to) = v;
    return;
  }
  to[0] = v.x;
  if (count > 1) to[1] = v.y;
  if (count > 2) to[2] = v.z;
  if (count > 3) to[3] = v.w;
}

template <bool kAligned>
__global__ void transpose_turned_blocks_kernel(const float* __restrict__ in,
                                               float* __restrict__ out, int rows, int cols) {
  __shared__ float4 tile[kTile][kChunks];  // 16 KB; a float4 holds four rows of a column of `in`

  const int tiles_down = ceil_div(rows, kTile);
  const int tile_col = blockIdx.x / tiles_down * kTile;
  const int tile_row = blockIdx.x % tiles_down * kTile;
  const int x = threadIdx.x % kChunks;
  const int y = threadIdx.x / kChunks;

  float4 r[4] = {};  // all four are requested before the first is used
  const int in_col = tile_col + 4 * x;
  const int in_row = tile_row + 4 * y;
  for (int i = 0; i < 4; ++i) {
    // If the extents are multiples of 4, the edge of the matrix cuts no block, so one test is
    // enough for the four rows of the block.
    const int last_row = kAligned ? in_row : in_row + i;
    if (last_row < rows && in_col < cols) {
      r[i] =
          load4<kAligned>(in + static_cast<std::size_t>(in_row + i) * cols + in_col, cols - in_col);
    }
  }
  const int chunk = y ^ (x % 8);
  tile[4 * x + 0][chunk] = make_float4(r[0].x, r[1].x, r[2].x, r[3].x);
  tile[4 * x + 1][chunk] = make_float4(r[0].y, r[1].y, r[2].y, r[3].y);
  tile[4 * x + 2][chunk] = make_float4(r[0].z, r[1].z, r[2].z, r[3].z);
  tile[4 * x + 3][chunk] = make_float4(r[0].w, r[1].w, r[2].w, r[3].w);

  __syncthreads();  // below, a thread reads elements that other threads wrote

#pragma unroll
  for (int i = 0; i < kTile; i += kBlockRows) {
    const int out_col = tile_row + 4 * x;
    const int out_row = tile_col + i + y;
    if (out_row < cols && out_col < rows) {
      store4<kAligned>(out + static_cast<std::size_t>(out_row) * rows + out_col,
                       tile[i + y][x ^ ((i + y) / 4 % 8)], rows - out_col);
    }
  }
}

void transpose(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream) {
  const dim3 grid(ceil_div(cols, kTile) * ceil_div(rows, kTile));
  if (rows % 4 == 0 && cols % 4 == 0) {
    transpose_turned_blocks_kernel<true><<<grid, kThreads, 0, stream>>>(d_in, d_out, rows, cols);
  } else {
    transpose_turned_blocks_kernel<false><<<grid, kThreads, 0, stream>>>(d_in, d_out, rows, cols);
  }
  CUDA_CHECK(cudaGetLastError());
}
