// Stage 09: Thrust: one transform per item
//
// Stage 03 without a kernel of our own: one transform per item over the indices of the entries.
// The function object computes an entry; the library chooses the number of threads.
//
// Cost: the bytes of stage 03.
//
// Requires: Thrust

#include "subset_sum.h"

#include "common/cuda_check.h"

#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform.h>

#include <cstdint>
#include <utility>

struct WithItem {
  const std::uint8_t* before;
  int item;
  __device__ std::uint8_t operator()(int i) const {
    return before[i] | (i >= item ? before[i - item] : 0);
  }
};

const void* subset_sum(const std::vector<int>& items, int target, void* d_table, int /*chunk*/,
                       cudaStream_t stream) {
  const std::size_t pitch = byte_column_bytes(target);
  auto* column = static_cast<std::uint8_t*>(d_table);
  std::uint8_t* other = column + pitch;
  CUDA_CHECK(cudaMemsetAsync(column, 0, pitch, stream));
  CUDA_CHECK(cudaMemsetAsync(column, 1, 1, stream));  // the empty subset has the sum 0

  const auto entries = thrust::make_counting_iterator(0);
  for (const int item : items) {
    thrust::transform(thrust::cuda::par_nosync.on(stream), entries, entries + target + 1, other,
                      WithItem{column, item});
    CUDA_CHECK(cudaGetLastError());
    std::swap(column, other);
  }
  return column;
}

TableLayout table_layout(std::size_t /*item_count*/, int target) {
  return {false, byte_column_bytes(target), 2};
}
