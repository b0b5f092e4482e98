// Stage 01: naive
//
// One thread per entry, and one launch per item: the recurrence, unchanged. All columns are kept,
// one byte per entry. A column needs the whole previous column, so each column has its own launch:
// the end of a launch is the barrier between two columns.
//
// Cost: each entry reads two bytes and writes one. With n items and sums up to S these are
// 3 * n * (S + 1) bytes, and the table has n + 1 columns. Next: 02_grid_stride.cu.

#include "subset_sum.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>
#include <cstdint>

constexpr unsigned kThreads = 256;

__global__ void subset_sum_naive_kernel(const std::uint8_t* before, std::uint8_t* column,
                                        unsigned item, unsigned target) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i > target) return;
  column[i] = before[i] | (i >= item ? before[i - item] : 0);
}

const void* subset_sum(const std::vector<int>& items, int target, void* d_table, int /*chunk*/,
                       cudaStream_t stream) {
  const std::size_t pitch = byte_column_bytes(target);
  auto* column = static_cast<std::uint8_t*>(d_table);
  CUDA_CHECK(cudaMemsetAsync(column, 0, pitch, stream));
  CUDA_CHECK(cudaMemsetAsync(column, 1, 1, stream));  // the empty subset has the sum 0

  const std::size_t entries = target + 1;  // the sums 0, 1, ..., target
  const unsigned blocks = ceil_div(entries, kThreads);
  for (const int item : items) {
    subset_sum_naive_kernel<<<blocks, kThreads, 0, stream>>>(column, column + pitch, item, target);
    CUDA_CHECK(cudaGetLastError());
    column += pitch;
  }
  return column;
}
