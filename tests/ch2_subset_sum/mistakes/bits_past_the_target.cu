// The last word keeps sums that are larger than the target.
// Rejected by: MatchesReference/\w+.*bit \d+ of a column up to

#include "subset_sum.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstdint>
#include <utility>

constexpr int kThreads = 256;
constexpr int kBits = 32;  // of a word

__global__ void subset_sum_bit_packed_kernel(const std::uint32_t* before, std::uint32_t* column,
                                             int item, int target) {
  const int w = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int last = target / kBits;
  if (w > last) return;

  const int from = w - item / kBits;
  const std::uint32_t high = from >= 0 ? before[from] : 0;
  const std::uint32_t low = from >= 1 ? before[from - 1] : 0;
  const std::uint32_t word = before[w] | __funnelshift_l(low, high, item % kBits);
  column[w] = word;
}

const void* subset_sum(const std::vector<int>& items, int target, void* d_table, int /*chunk*/,
                       cudaStream_t stream) {
  const std::size_t pitch = packed_column_bytes(target);
  auto* column = static_cast<std::uint32_t*>(d_table);
  std::uint32_t* other = column + pitch / sizeof(std::uint32_t);
  CUDA_CHECK(cudaMemsetAsync(column, 0, 2 * pitch, stream));
  CUDA_CHECK(cudaMemsetAsync(column, 1, 1, stream));  // the sum of no items is 0

  const int blocks = ceil_div(target / kBits + 1, kThreads);
  for (const int item : items) {
    subset_sum_bit_packed_kernel<<<blocks, kThreads, 0, stream>>>(column, other, item, target);
    CUDA_CHECK(cudaGetLastError());
    std::swap(column, other);
  }
  return column;
}

TableLayout table_layout(std::size_t /*item_count*/, int target) {
  return {true, packed_column_bytes(target), 2};
}
