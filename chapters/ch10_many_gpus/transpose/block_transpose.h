#pragma once

#include "common/cuda_check.h"

#include <cuda_runtime.h>

#include <cstddef>

// The transpose of a block of a matrix on one GPU: chapter 3's tile in shared memory, with four
// elements per thread.

constexpr int kTileDim = 32;
constexpr int kBlockRows = 8;

// A block of a matrix: its first element, and the distance from row to row, in floats.
struct Block {
  float* d_first;
  std::size_t pitch;
};
struct ConstBlock {
  const float* d_first;
  std::size_t pitch;
};

// Computes one tile of out(c, r) = in(r, c), for `in` of rows x cols: tile number `tile`, counted
// along the rows of `in`. All threads of a block of kTileDim x kBlockRows must call it.
static __device__ void transpose_tile(const ConstBlock& in, const Block& out, std::size_t rows,
                                      std::size_t cols, std::size_t tile) {
  __shared__ float staged[kTileDim][kTileDim + 1];
  const std::size_t tiles_across = (cols + kTileDim - 1) / kTileDim;
  const std::size_t tile_col = tile % tiles_across * kTileDim;
  const std::size_t tile_row = tile / tiles_across * kTileDim;

  const std::size_t in_col = tile_col + threadIdx.x, in_row = tile_row + threadIdx.y;
  for (int i = 0; i < kTileDim; i += kBlockRows) {
    if (in_row + i < rows && in_col < cols) {
      staged[threadIdx.y + i][threadIdx.x] = in.d_first[(in_row + i) * in.pitch + in_col];
    }
  }
  __syncthreads();  // below, a thread reads elements that other threads wrote
  const std::size_t out_col = tile_row + threadIdx.x, out_row = tile_col + threadIdx.y;
  for (int i = 0; i < kTileDim; i += kBlockRows) {
    if (out_row + i < cols && out_col < rows) {
      out.d_first[(out_row + i) * out.pitch + out_col] = staged[threadIdx.x][threadIdx.y + i];
    }
  }
}

__host__ __device__ constexpr std::size_t tiles_of(std::size_t rows, std::size_t cols) {
  return (rows + kTileDim - 1) / kTileDim * ((cols + kTileDim - 1) / kTileDim);
}

static __global__ void block_transpose_kernel(ConstBlock in, Block out, std::size_t rows,
                                              std::size_t cols) {
  transpose_tile(in, out, rows, cols, blockIdx.x);
}

// Queues out(c, r) = in(r, c), for `in` of rows x cols, on the current device; does nothing if
// there are no elements.
inline void queue_block_transpose(const ConstBlock& in, const Block& out, std::size_t rows,
                                  std::size_t cols, cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;  // a grid of 0 blocks is an error
  block_transpose_kernel<<<static_cast<unsigned>(tiles_of(rows, cols)), dim3(kTileDim, kBlockRows),
                           0, stream>>>(in, out, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}
