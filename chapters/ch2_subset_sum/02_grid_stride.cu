// Stage 02: several entries per thread
//
// A thread makes `chunk` entries: its own, the one that lies a whole grid further on, and so on (a
// grid-stride loop). There are fewer threads to start, and each has more to do. A warp still reads
// neighbouring bytes in every turn.
//
// Cost: the bytes and requests of stage 01, from chunk times fewer threads. Next:
// 03_two_columns.cu.

#include "subset_sum.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstdint>

constexpr int kThreads = 256;

__global__ void subset_sum_grid_stride_kernel(const std::uint8_t* before, std::uint8_t* column,
                                              int item, int target) {
  const long long stride = static_cast<long long>(gridDim.x) * kThreads;
  for (long long i = blockIdx.x * kThreads + threadIdx.x; i <= target; i += stride) {
    column[i] = before[i] | (i >= item ? before[i - item] : 0);
  }
}

const void* subset_sum(const std::vector<int>& items, int target, void* d_table, int chunk,
                       cudaStream_t stream) {
  const std::size_t pitch = byte_column_bytes(target);
  auto* column = static_cast<std::uint8_t*>(d_table);
  CUDA_CHECK(cudaMemsetAsync(column, 0, pitch, stream));
  CUDA_CHECK(cudaMemsetAsync(column, 1, 1, stream));  // the sum of no items is 0

  const int blocks = ceil_div(target + 1, kThreads * chunk);
  for (const int item : items) {
    subset_sum_grid_stride_kernel<<<blocks, kThreads, 0, stream>>>(column, column + pitch, item,
                                                                   target);
    CUDA_CHECK(cudaGetLastError());
    column += pitch;
  }
  return column;
}

TableLayout table_layout(std::size_t item_count, int target) {
  return {false, byte_column_bytes(target), item_count + 1};
}
