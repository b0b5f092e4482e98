// Stage 10: diagonal
//
// A plain tile is transposed in place. The tile is stored row below row, as in the matrix, without
// padding or swizzle. Each thread transposes a block of 4 x 4 inside it. So the code that loads and
// stores the tile does not depend on how the tile is transposed. In stage 10 threads load and store
// it; in stage 11 the TMA unit does, which handles plain tiles only.
//
// If 8 consecutive lanes handled a row of blocks, their writes would use the same banks. So they
// handle 8 blocks on a diagonal. These blocks are in 8 columns of blocks, so the reads use all 32
// banks. They are also in 8 rows, which become columns, so the writes use all 32 banks too.
//
// 16-byte accesses need extents that are multiples of 4. Other extents use the kernel of stage 06.
//
// Cost: 8 reads and 8 writes of 16 bytes in shared memory per thread, twice those of stage 07, no
// conflicts, and two more barriers. Global accesses as in stage 07. Next: 11_bulk_copy.cu.

#include "transpose.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kTile = 64;  // floats: 256 bytes, whole sectors, of each row of either matrix
constexpr int kChunks = kTile / 4;           // chunks of 16 bytes in a row of the tile
constexpr int kThreads = kChunks * kChunks;  // a thread transposes one 4 x 4 block

__global__ void transpose_diagonal_kernel(const float* __restrict__ in, float* __restrict__ out,
                                          int rows, int cols) {
  __shared__ float4 tile[kTile][kChunks];

  const int tiles_down = ceil_div(rows, kTile);
  const int first_row = blockIdx.x % tiles_down * kTile;
  const int first_col = blockIdx.x / tiles_down * kTile;

  const int chunk = threadIdx.x % kChunks;
  for (int i = threadIdx.x / kChunks; i < kTile; i += kThreads / kChunks) {
    const int row = first_row + i, col = first_col + 4 * chunk;
    const float* const from = in + static_cast<std::size_t>(row) * cols + col;
    const bool inside = row < rows && col < cols;
    tile[i][chunk] = inside ? *reinterpret_cast<const float4*>(from) : float4{};
  }
  __syncthreads();  // below, a thread reads elements that other threads wrote

  const int group = threadIdx.x / 64;  // a group has 8 x 8 blocks, and the tile has four groups
  const int diagonal = threadIdx.x / 8 % 8;
  const int lane = threadIdx.x % 8;
  const int x = group % 2 * 8 + lane;
  const int y = group / 2 * 8 + (lane ^ diagonal);

  float4 r[4];
  for (int i = 0; i < 4; ++i) r[i] = tile[4 * y + i][x];

  __syncthreads();  // below, a thread overwrites elements that other threads read

  tile[4 * x + 0][y] = make_float4(r[0].x, r[1].x, r[2].x, r[3].x);
  tile[4 * x + 1][y] = make_float4(r[0].y, r[1].y, r[2].y, r[3].y);
  tile[4 * x + 2][y] = make_float4(r[0].z, r[1].z, r[2].z, r[3].z);
  tile[4 * x + 3][y] = make_float4(r[0].w, r[1].w, r[2].w, r[3].w);

  __syncthreads();  // below, a thread reads elements that other threads wrote

  for (int i = threadIdx.x / kChunks; i < kTile; i += kThreads / kChunks) {
    const int row = first_col + i, col = first_row + 4 * chunk;
    float* const to = out + static_cast<std::size_t>(row) * rows + col;
    const float4 v = tile[i][chunk];
    if (row < cols && col < rows) *reinterpret_cast<float4*>(to) = v;
  }
}

constexpr int kSmallTile = 32;
constexpr int kBlockRows = 8;

// The kernel of stage 06, for extents that are not multiples of 4.
__global__ void transpose_any_extents_kernel(const float* __restrict__ in, float* __restrict__ out,
                                             int rows, int cols) {
  __shared__ float tile[kSmallTile][kSmallTile];

  const int tiles_down = ceil_div(rows, kSmallTile);
  const int tile_col = blockIdx.x / tiles_down * kSmallTile;
  const int tile_row = blockIdx.x % tiles_down * kSmallTile;

  const int in_col = tile_col + threadIdx.x;
  const int in_row = tile_row + threadIdx.y;
  for (int i = 0; i < kSmallTile; i += kBlockRows) {
    if (in_row + i < rows && in_col < cols) {
      const int r = threadIdx.y + i, c = threadIdx.x;
      tile[r][c ^ r] = in[static_cast<std::size_t>(in_row + i) * cols + in_col];
    }
  }

  __syncthreads();  // below, a thread reads an element that another thread wrote

  const int out_col = tile_row + threadIdx.x;
  const int out_row = tile_col + threadIdx.y;
  for (int i = 0; i < kSmallTile; i += kBlockRows) {
    if (out_row + i < cols && out_col < rows) {
      const int r = threadIdx.x, c = threadIdx.y + i;
      out[static_cast<std::size_t>(out_row + i) * rows + out_col] = tile[r][c ^ r];
    }
  }
}

void transpose(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream) {
  if (rows % 4 == 0 && cols % 4 == 0) {
    const dim3 grid(ceil_div(cols, kTile) * ceil_div(rows, kTile));
    transpose_diagonal_kernel<<<grid, kThreads, 0, stream>>>(d_in, d_out, rows, cols);
  } else {
    const dim3 block(kSmallTile, kBlockRows);
    const dim3 grid(ceil_div(cols, kSmallTile) * ceil_div(rows, kSmallTile));
    transpose_any_extents_kernel<<<grid, block, 0, stream>>>(d_in, d_out, rows, cols);
  }
  CUDA_CHECK(cudaGetLastError());
}
