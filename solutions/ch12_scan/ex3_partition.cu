// Solution of exercise 3: a stable partition
//
// One scan is enough. Before element i there are i elements; those that are not selected are i
// minus the selected ones, and they are behind all *count selected elements.

#include "partition.h"

#include "block_scan.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr std::size_t kThreads = 1024;  // and elements of a tile

__global__ void count_selected_kernel(const int* __restrict__ in, int* __restrict__ tile_counts,
                                      std::size_t size) {
  const std::size_t i = blockIdx.x * kThreads + threadIdx.x;
  const int count = __syncthreads_count(i < size && is_selected(in[i]));
  if (threadIdx.x == 0) tile_counts[blockIdx.x] = count;
}

// One block: the count of each tile becomes the count of all tiles up to it.
__global__ void scan_counts_kernel(int* tile_counts, int* count, std::size_t tiles) {
  __shared__ int total;

  int carry = 0;
  for (std::size_t first = 0; first < tiles; first += kThreads) {
    const std::size_t tile = first + threadIdx.x;
    const int sum = block_scan(tile < tiles ? tile_counts[tile] : 0);

    if (tile < tiles) tile_counts[tile] = carry + sum;
    if (threadIdx.x == kThreads - 1) total = sum;
    __syncthreads();  // all threads load the total
    carry += total;
  }
  if (threadIdx.x == 0) *count = carry;
}

__global__ void scatter_kernel(const int* __restrict__ in, int* __restrict__ out,
                               const int* __restrict__ tile_counts, const int* __restrict__ count,
                               std::size_t size) {
  const std::size_t i = blockIdx.x * kThreads + threadIdx.x;
  const int x = i < size ? in[i] : 0;
  const bool selected = i < size && is_selected(x);
  const int before = blockIdx.x > 0 ? tile_counts[blockIdx.x - 1] : 0;
  const std::size_t up_to_here = before + block_scan(selected ? 1 : 0);  // with this element
  if (selected) out[up_to_here - 1] = x;
  if (i < size && !selected) out[*count + i - up_to_here] = x;
}

void partition(const int* d_in, int* d_out, int* d_count, std::size_t size, void* d_workspace,
               cudaStream_t stream) {
  CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof(int), stream));  // for no elements
  if (size == 0) return;
  int* const d_tile_counts = static_cast<int*>(d_workspace);
  const unsigned tiles = ceil_div(size, kThreads);
  count_selected_kernel<<<tiles, kThreads, 0, stream>>>(d_in, d_tile_counts, size);
  CUDA_CHECK(cudaGetLastError());
  scan_counts_kernel<<<1, kThreads, 0, stream>>>(d_tile_counts, d_count, tiles);
  CUDA_CHECK(cudaGetLastError());
  scatter_kernel<<<tiles, kThreads, 0, stream>>>(d_in, d_out, d_tile_counts, d_count, size);
  CUDA_CHECK(cudaGetLastError());
}
