// Exercise 2: in place (10 minutes)
// Bug hunt
//
// One column instead of two. A single thread could work through it from the end: it reads only
// entries that it has not changed yet. Here each launch works on a part of the column with many
// threads, from the last part to the first. The sums are often correct, but there is a race.
//
// TODO: find the two threads that access the same entry, and fix the length of a part (1 line).
//
// Goal: the chapter's tests pass, and no two threads of a launch access the same entry.
// Check:   ./workbook check ch2_ex2
// Look:    ./workbook inspect ch2_ex2
//
// Predict first: which entries does a part write, and which entries does it read? For which items
// do these two ranges overlap?

#include "subset_sum.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <algorithm>
#include <cstdint>

constexpr int kThreads = 256;
constexpr int kPart = 1 << 20;  // sums per launch

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
      const int begin = std::max(item, end - kPart);
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
