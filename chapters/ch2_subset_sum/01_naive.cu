// Stage 01: one thread per entry, one launch per item
//
// The recurrence as it stands. All columns are kept, a byte an entry. A column needs the one before
// it, whole: a launch for each, and the end of a launch is the barrier between them.
//
// Cost: an entry reads two bytes and writes one. With n items that is 3 * n * (S + 1) bytes, and as
// much memory for the table as n + 1 columns take. Next: 02_grid_stride.cu.

#include "subset_sum.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstdint>

constexpr int kThreads = 256;

__global__ void subset_sum_naive_kernel(const std::uint8_t* before, std::uint8_t* column, int item,
                                        int target) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (i > target) return;
  column[i] = before[i] | (i >= item ? before[i - item] : 0);
}

const void* subset_sum(const std::vector<int>& items, int target, void* d_table, int /*chunk*/,
                       cudaStream_t stream) {
  const std::size_t pitch = byte_column_bytes(target);
  auto* column = static_cast<std::uint8_t*>(d_table);
  CUDA_CHECK(cudaMemsetAsync(column, 0, pitch, stream));
  CUDA_CHECK(cudaMemsetAsync(column, 1, 1, stream));  // the sum of no items is 0

  const int blocks = ceil_div(target + 1, kThreads);
  for (const int item : items) {
    subset_sum_naive_kernel<<<blocks, kThreads, 0, stream>>>(column, column + pitch, item, target);
    CUDA_CHECK(cudaGetLastError());
    column += pitch;
  }
  return column;
}

TableLayout table_layout(std::size_t item_count, int target) {
  return {false, byte_column_bytes(target), item_count + 1};
}
