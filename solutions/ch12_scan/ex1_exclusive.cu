// Solution of exercise 1: exclusive instead of inclusive
//
// The sum of all elements before i is the inclusive sum minus element i. The sum of a tile has all
// elements of the tile, so it is the inclusive sum of the last thread. The kernels that scan and
// add the sums of the tiles do not change.

#include "exclusive.h"

#include "block_scan.h"
#include "scan_sums.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr std::size_t kThreads = 1024;  // and elements of a tile

__global__ void scan_tiles_kernel(const int* __restrict__ in, int* __restrict__ out,
                                  int* __restrict__ tile_sums, std::size_t size) {
  const std::size_t i = blockIdx.x * kThreads + threadIdx.x;
  const int value = i < size ? in[i] : 0;
  const int sum = block_scan(value);   // no early return: all lanes shuffle
  if (i < size) out[i] = sum - value;  // without this element
  if (threadIdx.x == kThreads - 1) tile_sums[blockIdx.x] = sum;  // with all elements
}

__global__ void add_sums_kernel(int* __restrict__ out, const int* __restrict__ tile_sums,
                                std::size_t size) {
  const std::size_t i = blockIdx.x * kThreads + threadIdx.x;
  if (blockIdx.x > 0 && i < size) out[i] += tile_sums[blockIdx.x - 1];
}

void exclusive_scan(const int* d_in, int* d_out, std::size_t size, void* d_workspace,
                    cudaStream_t stream) {
  if (size == 0) return;
  int* const d_tile_sums = static_cast<int*>(d_workspace);
  const unsigned tiles = ceil_div(size, kThreads);
  scan_tiles_kernel<<<tiles, kThreads, 0, stream>>>(d_in, d_out, d_tile_sums, size);
  CUDA_CHECK(cudaGetLastError());  // of this launch, before the next one
  scan_sums_kernel<<<1, kThreads, 0, stream>>>(d_tile_sums, tiles);
  CUDA_CHECK(cudaGetLastError());  // of this launch, before the next one
  add_sums_kernel<<<tiles, kThreads, 0, stream>>>(d_out, d_tile_sums, size);
  CUDA_CHECK(cudaGetLastError());
}
