// Exercise 5: from a blank file (12 minutes)
//
// The column by column table, without looking at a stage: the kernel, and a launch for each item. A
// thread makes `chunk` entries. The first column is there.
//
// Goal: right columns for all items and targets; blocks of 256 threads, and chunk times fewer of
// them than there are entries.
// Check:   ./workbook check ch2_ex5
// Look:    ./workbook inspect ch2_ex5
//
// Predict first: 10 items, sums up to 131,071 and chunk = 8. How many launches are there, and how
// many blocks has each?

#include "subset_sum.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>
#include <cstdint>

// TODO: the kernel. (about 8 lines)
const void* subset_sum(const std::vector<int>& items, int target, void* d_table, int chunk,
                       cudaStream_t stream) {
  const std::size_t pitch = byte_column_bytes(target);
  auto* column = static_cast<std::uint8_t*>(d_table);
  CUDA_CHECK(cudaMemsetAsync(column, 0, pitch, stream));
  CUDA_CHECK(cudaMemsetAsync(column, 1, 1, stream));  // the sum of no items is 0

  // TODO: a launch for each item; `column` is the last column that is made. (about 8 lines)
  return column;
}
