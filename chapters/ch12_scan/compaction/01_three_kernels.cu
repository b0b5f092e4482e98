// Compaction, step 01: three kernels: count, scan, scatter
//
// A selected element is stored behind all selected elements before it, so its index is their
// number: a scan of flags that are 1 or 0. No flag is stored: the first kernel counts the flags of
// each tile. The second, of 03_three_kernels.cu, scans these counts. The third computes the flags
// again, scans them in its tile, and stores the selected elements.
//
// Cost: the elements are loaded twice, and only the selected ones are stored: 2.5 times `size`
// elements move if half of them are selected. Selected elements of a warp are stored at consecutive
// addresses.

#include "compaction/compaction.h"

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

__global__ void scatter_selected_kernel(const int* __restrict__ in, int* __restrict__ out,
                                        const int* __restrict__ tile_counts, std::size_t size) {
  const std::size_t i = blockIdx.x * kThreads + threadIdx.x;
  const int x = i < size ? in[i] : 0;
  const bool selected = i < size && is_selected(x);
  const int up_to_here = block_scan(selected ? 1 : 0);  // with this element
  const int before = blockIdx.x > 0 ? tile_counts[blockIdx.x - 1] : 0;
  if (selected) out[before + up_to_here - 1] = x;
}

void select_even(const int* d_in, int* d_out, int* d_count, std::size_t size, void* d_workspace,
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
  scatter_selected_kernel<<<tiles, kThreads, 0, stream>>>(d_in, d_out, d_tile_counts, size);
  CUDA_CHECK(cudaGetLastError());
}
