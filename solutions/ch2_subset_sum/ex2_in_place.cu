// Solution of exercise 2: in place
//
// A part is at most as long as the item. Then the entries that it reads, [begin - item, end -
// item), end before the entries that it writes, [begin, end), and earlier launches have only
// written above them. The price is one launch per `item` sums: with an item of 1, one launch per
// sum.

#include "subset_sum.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <algorithm>
#include <cstdint>

constexpr int kThreads = 256;

// Adds the item to the sums from `begin` to `end` - 1, which are at least `item`.
__global__ void subset_sum_in_place_kernel(std::uint8_t* column, unsigned item, unsigned begin,
                                           unsigned end) {
  const unsigned i = begin + blockIdx.x * kThreads + threadIdx.x;
  if (i < end) column[i] |= column[i - item];
}

const void* subset_sum(const std::vector<int>& items, int target, void* d_table, int /*chunk*/,
                       cudaStream_t stream) {
  const std::size_t pitch = byte_column_bytes(target);
  auto* column = static_cast<std::uint8_t*>(d_table);
  CUDA_CHECK(cudaMemsetAsync(column, 0, pitch, stream));
  CUDA_CHECK(cudaMemsetAsync(column, 1, 1, stream));  // the empty subset has the sum 0

  for (const int item : items) {
    if (item == 0) continue;
    for (int end = target + 1; end > item;) {
      const int begin = std::max(item, end - item);
      subset_sum_in_place_kernel<<<ceil_div(end - begin, kThreads), kThreads, 0, stream>>>(
          column, item, begin, end);
      CUDA_CHECK(cudaGetLastError());
      end = begin;
    }
  }
  return column;
}

TableLayout table_layout(std::size_t /*item_count*/, int target) {
  return {false, byte_column_bytes(target), 1};
}
