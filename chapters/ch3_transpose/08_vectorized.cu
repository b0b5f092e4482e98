// Stage 08: vectorized
//
// A thread has two 4 x 4 blocks in flight. Memory is busy only if enough bytes are in flight. A
// thread of stage 07 requests 64 bytes, transposes them and waits for its thread block. A thread of
// stage 08 requests 128 bytes, two 4 x 4 blocks, before it uses the first. Half the threads copy
// the same tile. If stage 07 already has enough bytes in flight, stage 08 is not faster.
//
// Cost: all counts are those of stage 07, with half the threads. 32 registers hold the data of
// eight loads. Next: 09_sector_aligned.cu.

#include "transpose.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kTile = 64;  // floats: 256 bytes, whole sectors, of each row of either matrix
constexpr int kChunks = kTile / 4;  // chunks of 16 bytes in a row of the tile
constexpr int kThreads = 128;       // a thread transposes two 4 x 4 blocks: 128 bytes in flight
constexpr int kBlockRows = kThreads / kChunks;  // rows of blocks that the threads handle at a time

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
__global__ void transpose_vectorized_kernel(const float* __restrict__ in, float* __restrict__ out,
                                            int rows, int cols) {
  __shared__ float4 tile[kTile][kChunks];  // 16 KB; a float4 holds four rows of a column of `in`

  const int tiles_down = ceil_div(rows, kTile);
  const int tile_col = blockIdx.x / tiles_down * kTile;
  const int tile_row = blockIdx.x % tiles_down * kTile;
  const int x = threadIdx.x % kChunks;
  const int y = threadIdx.x / kChunks;

  float4 r[2][4] = {};  // all eight are requested before the first is used
  for (int b = 0; b < 2; ++b) {
    const int in_col = tile_col + 4 * x;
    const int in_row = tile_row + 4 * (y + b * kBlockRows);
    for (int i = 0; i < 4; ++i) {
      // If the extents are multiples of 4, the edge of the matrix cuts no block, so one test is
      // enough for the four rows of the block.
      const int last_row = kAligned ? in_row : in_row + i;
      if (last_row < rows && in_col < cols) {
        r[b][i] = load4<kAligned>(in + static_cast<std::size_t>(in_row + i) * cols + in_col,
                                  cols - in_col);
      }
    }
  }
  for (int b = 0; b < 2; ++b) {
    const int chunk = (y + b * kBlockRows) ^ (x % 8);
    tile[4 * x + 0][chunk] = make_float4(r[b][0].x, r[b][1].x, r[b][2].x, r[b][3].x);
    tile[4 * x + 1][chunk] = make_float4(r[b][0].y, r[b][1].y, r[b][2].y, r[b][3].y);
    tile[4 * x + 2][chunk] = make_float4(r[b][0].z, r[b][1].z, r[b][2].z, r[b][3].z);
    tile[4 * x + 3][chunk] = make_float4(r[b][0].w, r[b][1].w, r[b][2].w, r[b][3].w);
  }

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
    transpose_vectorized_kernel<true><<<grid, kThreads, 0, stream>>>(d_in, d_out, rows, cols);
  } else {
    transpose_vectorized_kernel<false><<<grid, kThreads, 0, stream>>>(d_in, d_out, rows, cols);
  }
  CUDA_CHECK(cudaGetLastError());
}
