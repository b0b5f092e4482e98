// Stage 04: bit-packed: 32 sums per word
//
// An entry is true or false, so one bit is enough. Adding an item to every sum shifts all bits up
// by the item, so a column is the previous column or-ed with the shifted previous column. A thread
// computes one word. The 32 shifted bits span two adjacent words, item / 32 words down; a funnel
// shift extracts them from the pair.
//
// Cost: an eighth of the bytes. A word needs three loads and a store; 32 entries of stage 03 need
// 64 loads and 32 stores. Next: 05_vectorized.cu.

#include "subset_sum.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstdint>
#include <utility>

constexpr int kThreads = 256;
constexpr int kBits = 32;  // bits per word

__global__ void subset_sum_bit_packed_kernel(const std::uint32_t* before, std::uint32_t* column,
                                             int item, int target) {
  const int w = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int last = target / kBits;
  if (w > last) return;

  const int from = w - item / kBits;
  const std::uint32_t high = from >= 0 ? before[from] : 0;
  const std::uint32_t low = from >= 1 ? before[from - 1] : 0;
  std::uint32_t word = before[w] | __funnelshift_l(low, high, item % kBits);
  if (w == last) word &= 0xffffffff >> (kBits - 1 - target % kBits);  // no sums past the target
  column[w] = word;
}

const void* subset_sum(const std::vector<int>& items, int target, void* d_table, int /*chunk*/,
                       cudaStream_t stream) {
  const std::size_t pitch = packed_column_bytes(target);
  auto* column = static_cast<std::uint32_t*>(d_table);
  std::uint32_t* other = column + pitch / sizeof(std::uint32_t);
  CUDA_CHECK(cudaMemsetAsync(column, 0, 2 * pitch, stream));
  CUDA_CHECK(cudaMemsetAsync(column, 1, 1, stream));  // the empty subset has the sum 0

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
