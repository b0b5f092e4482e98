// Exercise 1: exclusive instead of inclusive (10 minutes)
//
// These are the three kernels of stage 03. The result must be the exclusive scan: out[i] is the sum
// of all elements before element i, without element i (exclusive.h). The second and the third
// kernel are complete.
//
// Goal: correct for every size, with the loads and stores of stage 03.
// Check:   ./workbook check ch12_ex1
// Look:    ./workbook inspect ch12_ex1
//
// Predict first: the elements are 3, 1, 4, 1, and a tile has two elements. What does the first
// kernel store in out and in tile_sums?

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
  // TODO: store the sum of the elements of this tile before element i in out, if there is an
  // element i, and the sum of the tile in tile_sums. (3 lines)
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
