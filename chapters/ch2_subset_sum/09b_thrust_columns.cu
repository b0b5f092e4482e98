// Stage 09b: Thrust with whole columns as operands
//
// All of F is kept, and an item is two array expressions, each over a whole range of a column: copy
// the previous column, then OR its first entries onto the entries of the new column from index s_j
// on. An array language writes these two expressions as
//
//   F[:, j] = F[:, j-1];   F[s_j:, j] |= F[:end - s_j, j-1]
//
// A view is a pair of pointers; it copies nothing.
//
// Cost: an entry is read once and written once by the copy, and read twice and written once by the
// OR: five bytes; stage 09 moves three. This is the price of two independent expressions.
//
// Requires: Thrust

#include "subset_sum.h"

#include "common/cuda_check.h"

#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/transform.h>

#include <cstdint>

const void* subset_sum(const std::vector<int>& items, int target, void* d_table, int /*chunk*/,
                       cudaStream_t stream) {
  const std::size_t pitch = byte_column_bytes(target);
  auto* column = static_cast<std::uint8_t*>(d_table);
  CUDA_CHECK(cudaMemsetAsync(column, 0, pitch, stream));
  CUDA_CHECK(cudaMemsetAsync(column, 1, 1, stream));  // the empty subset has the sum 0

  const auto on_stream = thrust::cuda::par_nosync.on(stream);
  const std::size_t entries = static_cast<std::size_t>(target) + 1;
  for (const int item : items) {
    const std::uint8_t* const before = column;
    column += pitch;
    thrust::copy(on_stream, before, before + entries, column);
    if (item <= target) {
      thrust::transform(on_stream, column + item, column + entries, before, column + item,
                        thrust::bit_or<std::uint8_t>());
    }
    CUDA_CHECK(cudaGetLastError());
  }
  return column;
}

TableLayout table_layout(std::size_t item_count, int target) {
  return {false, byte_column_bytes(target), item_count + 1};
}
