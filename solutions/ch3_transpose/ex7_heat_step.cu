// Solution of exercise 7: one step of heat, through a tile with a halo
//
// A block computes 32 x 32 elements. It loads these elements and their halo, one element wide, into
// a tile of 34 x 34. The block has 1024 threads and the tile has 1156 elements, so some threads
// load several elements, in steps of 32 rows and 32 columns. The threads of stage 04 load in steps
// of 8 rows in the same way.
//
// Cost: 68 load requests per block; four loads per thread would be 128. A row of 34 elements needs
// two requests, of 32 lanes and of 2 lanes. Consecutive lanes use consecutive elements of the tile,
// so there is no bank conflict, for any width of the tile.

#include "heat_step.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kTileDim = 32;            // one warp wide
constexpr int kHaloDim = kTileDim + 2;  // a tile with its halo

__global__ void heat_step_kernel(const float* __restrict__ in, float* __restrict__ out,
                                 std::size_t rows, std::size_t cols) {
  __shared__ float tile[kHaloDim][kHaloDim];

  const unsigned tile_col = blockIdx.x * kTileDim;
  const unsigned tile_row = blockIdx.y * kTileDim;

  for (unsigned r = threadIdx.y; r < kHaloDim; r += kTileDim) {
    for (unsigned c = threadIdx.x; c < kHaloDim; c += kTileDim) {
      // The halo starts one row and one column early. For row 0, the row before is the largest
      // unsigned number, which the guard rejects.
      const unsigned in_row = tile_row + r - 1;
      const unsigned in_col = tile_col + c - 1;
      if (in_row < rows && in_col < cols) tile[r][c] = in[in_row * cols + in_col];
    }
  }

  __syncthreads();  // below, a thread reads elements of four other threads

  const unsigned col = tile_col + threadIdx.x;
  const unsigned row = tile_row + threadIdx.y;
  if (row >= rows || col >= cols) return;

  const unsigned r = threadIdx.y + 1;  // this thread's element in the tile
  const unsigned c = threadIdx.x + 1;
  const bool is_border = row == 0 || row == rows - 1 || col == 0 || col == cols - 1;
  float value = tile[r][c];
  if (!is_border) {
    value = (tile[r - 1][c] + tile[r + 1][c] + tile[r][c - 1] + tile[r][c + 1]) / 4;
  }
  out[row * cols + col] = value;
}

void heat_step(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream) {
  const dim3 block(kTileDim, kTileDim);
  const dim3 grid(ceil_div(cols, kTileDim), ceil_div(rows, kTileDim));
  heat_step_kernel<<<grid, block, 0, stream>>>(d_in, d_out, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}
