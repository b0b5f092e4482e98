// Exercise 4: which column? (5 minutes)
// Bug hunt
//
// Stage 01 with a bug. With a single item of 3 it finds that the sum 3 can be made, and sometimes
// also 6 and 9.
//
// TODO: find the bug and fix it (1 line).
//
// Goal: correct columns, and no entry that one thread reads while another writes it.
// Check:   ./workbook check ch2_ex4
// Look:    ./workbook inspect ch2_ex4
//
// Predict first: the recurrence computes F[i, j] from two entries. In which column is each of these
// entries?

#include "subset_sum.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>
#include <cstdint>

constexpr std::size_t kThreads = 256;

__global__ void subset_sum_column_kernel(const std::uint8_t* before, std::uint8_t* column,
                                         std::size_t item, std::size_t target) {
  const std::size_t i = blockIdx.x * kThreads + threadIdx.x;
  if (i > target) return;
  column[i] = before[i] | (i >= item ? column[i - item] : 0);
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
    subset_sum_column_kernel<<<blocks, kThreads, 0, stream>>>(column, column + pitch, item, target);
    CUDA_CHECK(cudaGetLastError());
    column += pitch;
  }
  return column;
}
