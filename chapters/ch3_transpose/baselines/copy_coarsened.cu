// Copy: several elements per thread
//
// A block of 32x8 threads copies a 32x32 tile, four elements per thread, as 04_coalesced.cu does:
// the loads do not depend on each other, so each thread has four loads in flight.
//
// Cost: that of copy_simple.cu, with a quarter of the threads.

#include "baselines/copy.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kTileDim = 32;   // one warp wide
constexpr int kBlockRows = 8;  // a thread copies kTileDim / kBlockRows elements

__global__ void copy_coarsened_kernel(const float* __restrict__ in, float* __restrict__ out,
                                      int rows, int cols) {
  const int tiles_across = ceil_div(cols, kTileDim);
  const int col = blockIdx.x % tiles_across * kTileDim + threadIdx.x;
  const int row = blockIdx.x / tiles_across * kTileDim + threadIdx.y;
  for (int i = 0; i < kTileDim; i += kBlockRows) {
    if (row + i < rows && col < cols) {
      const std::size_t at = static_cast<std::size_t>(row + i) * cols + col;
      out[at] = in[at];
    }
  }
}

void copy(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream) {
  const dim3 block(kTileDim, kBlockRows);
  // A one-dimensional grid, because gridDim.y is at most 65535.
  const dim3 grid(ceil_div(cols, kTileDim) * ceil_div(rows, kTileDim));
  copy_coarsened_kernel<<<grid, block, 0, stream>>>(d_in, d_out, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}
