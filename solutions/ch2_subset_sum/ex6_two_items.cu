// Solution of exercise 6: two items at a time
//
// A sum can be made with neither of the two items, with the first, with the second, or with both:
// four entries of the previous column. Every second column is never computed. If the number of
// items is odd, the last item is paired with an item of 0.
//
// Cost: half of the launches, of the stores and of the table. The number of loads stays about the
// same: four for two items, instead of two per item.

#include "subset_sum.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>
#include <cstdint>

constexpr std::size_t kThreads = 256;

__global__ void subset_sum_two_items_kernel(const std::uint8_t* before, std::uint8_t* column,
                                            std::size_t item, std::size_t other,
                                            std::size_t target) {
  const std::size_t i = blockIdx.x * kThreads + threadIdx.x;
  if (i > target) return;
  const std::size_t both = item + other;  // may pass 2^31
  column[i] = before[i] | (i >= item ? before[i - item] : 0) |
              (i >= other ? before[i - other] : 0) | (i >= both ? before[i - both] : 0);
}

const void* subset_sum(const std::vector<int>& items, int target, void* d_table, int /*chunk*/,
                       cudaStream_t stream) {
  const std::size_t pitch = byte_column_bytes(target);
  auto* column = static_cast<std::uint8_t*>(d_table);
  CUDA_CHECK(cudaMemsetAsync(column, 0, pitch, stream));
  CUDA_CHECK(cudaMemsetAsync(column, 1, 1, stream));  // the empty subset has the sum 0

  const std::size_t entries = target + 1;  // the sums 0, 1, ..., target
  const unsigned blocks = ceil_div(entries, kThreads);
  for (std::size_t j = 0; j < items.size(); j += 2) {
    const int other = j + 1 < items.size() ? items[j + 1] : 0;  // an item of 0 changes nothing
    subset_sum_two_items_kernel<<<blocks, kThreads, 0, stream>>>(column, column + pitch, items[j],
                                                                 other, target);
    CUDA_CHECK(cudaGetLastError());
    column += pitch;
  }
  return column;
}

TableLayout table_layout(std::size_t item_count, int target) {
  return {false, byte_column_bytes(target), (item_count + 1) / 2 + 1};
}
