// Stage 04: reduce, then scan
//
// Stage 03 stores every element twice. Here the first kernel stores only the sum of each tile. The
// scan of the sums, in scan_sums.h, does not change. The third kernel loads the elements again,
// scans its tile, and adds the sum of all tiles before it when it stores.
//
// Cost: three times `size` elements move: the first kernel loads them, the third loads and stores
// them. Each tile is scanned twice: the first kernel uses only the last sum.
// Next: 05_chained.cu.

#include "scan.h"

#include "block_scan.h"
#include "scan_sums.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr std::size_t kThreads = 1024;  // and elements of a tile

__global__ void reduce_tiles_kernel(const int* __restrict__ in, int* __restrict__ tile_sums,
                                    std::size_t size) {
  const std::size_t i = blockIdx.x * kThreads + threadIdx.x;
  const int sum = block_scan(i < size ? in[i] : 0);  // no early return: all lanes shuffle
  if (threadIdx.x == kThreads - 1) tile_sums[blockIdx.x] = sum;
}

__global__ void scan_tiles_kernel(const int* __restrict__ in, int* __restrict__ out,
                                  const int* __restrict__ tile_sums, std::size_t size) {
  const std::size_t i = blockIdx.x * kThreads + threadIdx.x;
  const int before = blockIdx.x > 0 ? tile_sums[blockIdx.x - 1] : 0;
  const int sum = block_scan(i < size ? in[i] : 0);
  if (i < size) out[i] = before + sum;
}

void scan(const int* d_in, int* d_out, std::size_t size, void* d_workspace, cudaStream_t stream) {
  if (size == 0) return;
  int* const d_tile_sums = static_cast<int*>(d_workspace);
  const unsigned tiles = ceil_div(size, kThreads);
  reduce_tiles_kernel<<<tiles, kThreads, 0, stream>>>(d_in, d_tile_sums, size);
  CUDA_CHECK(cudaGetLastError());  // of this launch, before the next one
  scan_sums_kernel<<<1, kThreads, 0, stream>>>(d_tile_sums, tiles);
  CUDA_CHECK(cudaGetLastError());  // of this launch, before the next one
  scan_tiles_kernel<<<tiles, kThreads, 0, stream>>>(d_in, d_out, d_tile_sums, size);
  CUDA_CHECK(cudaGetLastError());
}
