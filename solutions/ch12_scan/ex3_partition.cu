// Solution of exercise 3: a stable partition
//
// One scan is enough. Before element i there are i elements; those that are not selected are i
// minus the selected ones, and they are behind all *count selected elements.

#include "partition.h"

#include "block_scan.h"
#include "scan_sums.h"

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
  CUDA_CHECK(cudaGetLastError());  // of this launch, before the next one
  scan_sums_kernel<<<1, kThreads, 0, stream>>>(d_tile_counts, tiles);
  CUDA_CHECK(cudaGetLastError());  // of this launch, before the next one
  CUDA_CHECK(cudaMemcpyAsync(d_count, d_tile_counts + tiles - 1, sizeof(int),
                             cudaMemcpyDeviceToDevice, stream));
  scatter_kernel<<<tiles, kThreads, 0, stream>>>(d_in, d_out, d_tile_counts, d_count, size);
  CUDA_CHECK(cudaGetLastError());
}
