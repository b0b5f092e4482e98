// Stage 03: three kernels: scan the tiles, scan their sums, add
//
// A block cannot wait for the blocks before it, but a kernel starts after the kernel before it. The
// first kernel scans each tile and stores its sum. The second is the kernel of stage 02, in place:
// one block scans the sums. The third adds to each tile the sum of all tiles before it.
//
// Cost: four times `size` elements move, twice the minimum: the first and the third kernel each
// load and store all elements. The second moves two sums for 1024 elements.
// Next: 04_reduce_then_scan.cu.

#include "scan.h"

#include "block_scan.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr std::size_t kThreads = 1024;  // and elements of a tile

__global__ void scan_tiles_kernel(const int* __restrict__ in, int* __restrict__ out,
                                  int* __restrict__ tile_sums, std::size_t size) {
  const std::size_t i = blockIdx.x * kThreads + threadIdx.x;
  const int sum = block_scan(i < size ? in[i] : 0);  // no early return: all lanes shuffle
  if (i < size) out[i] = sum;
  if (threadIdx.x == kThreads - 1) tile_sums[blockIdx.x] = sum;
}

// One block: the sum of each tile becomes the sum of all tiles up to it.
__global__ void scan_sums_kernel(int* tile_sums, std::size_t tiles) {
  __shared__ int total;

  int carry = 0;
  for (std::size_t first = 0; first < tiles; first += kThreads) {
    const std::size_t tile = first + threadIdx.x;
    const int sum = block_scan(tile < tiles ? tile_sums[tile] : 0);

    if (tile < tiles) tile_sums[tile] = carry + sum;
    if (threadIdx.x == kThreads - 1) total = sum;
    __syncthreads();  // all threads load the total
    carry += total;
  }
}

__global__ void add_sums_kernel(int* __restrict__ out, const int* __restrict__ tile_sums,
                                std::size_t size) {
  const std::size_t i = blockIdx.x * kThreads + threadIdx.x;
  if (blockIdx.x > 0 && i < size) out[i] += tile_sums[blockIdx.x - 1];
}

void scan(const int* d_in, int* d_out, std::size_t size, void* d_workspace, cudaStream_t stream) {
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
