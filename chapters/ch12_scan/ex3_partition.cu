// Exercise 3: a stable partition (20 minutes)
//
// Compaction leaves the other elements out. A partition stores them too: first all selected
// elements, then all others, both in the order of `in` (partition.h). The first two kernels are
// those of compaction/01_three_kernels.cu and complete: after them, tile_counts[b] is the number of
// selected elements in the tiles 0 to b, and *count is the number of all of them.
//
// Goal: correct for every size, with one scan per block and one store per element.
// Check:   ./workbook check ch12_ex3
// Look:    ./workbook inspect ch12_ex3
//
// Predict first: the elements are 3, 1, 4, 1, 5, 9, 2, 6, and the even ones are selected. At which
// index is the 5 stored, and how does it follow from its index, 4, and two counts?

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
  // TODO: store this thread's element, if there is one. A selected element is stored behind the
  // selected elements before it. Any other element is stored behind all *count selected elements
  // and behind the other elements before it. (3 lines)
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
