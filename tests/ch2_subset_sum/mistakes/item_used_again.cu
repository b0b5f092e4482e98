// One thread, in place from the beginning: an item counts as often as it fits.
// Rejected by: MatchesReference/one_item.*The first is F\[14\]: expected 0, got 1

#include "subset_sum.h"

#include "common/cuda_check.h"

#include <cstdint>

__global__ void subset_sum_two_columns_kernel(std::uint8_t* column, int item, int target) {
  for (long long i = item; i <= target; ++i) column[i] |= column[i - item];
}

const void* subset_sum(const std::vector<int>& items, int target, void* d_table, int /*chunk*/,
                       cudaStream_t stream) {
  const std::size_t pitch = byte_column_bytes(target);
  auto* column = static_cast<std::uint8_t*>(d_table);
  CUDA_CHECK(cudaMemsetAsync(column, 0, pitch, stream));
  CUDA_CHECK(cudaMemsetAsync(column, 1, 1, stream));  // the sum of no items is 0

  for (const int item : items) {
    subset_sum_two_columns_kernel<<<1, 1, 0, stream>>>(column, item, target);
    CUDA_CHECK(cudaGetLastError());
  }
  return column;
}

TableLayout table_layout(std::size_t /*item_count*/, int target) {
  return {false, byte_column_bytes(target), 1};
}
