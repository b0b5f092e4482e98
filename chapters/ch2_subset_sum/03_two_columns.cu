// Stage 03: two columns: double buffering
//
// A column needs only the previous column. So two buffers are enough: each launch reads one and
// writes the other, then they swap roles. At S = 25,000,000 both are 50 MB, and an H200's L2 cache
// of 60 MB can hold them. The price: the table no longer shows which items make a sum.
//
// Cost: the requests of stage 02. Memory for two columns, whatever n. Next: 04_bit_packed.cu.

#include "subset_sum.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstdint>
#include <utility>

constexpr int kThreads = 256;

__global__ void subset_sum_two_columns_kernel(const std::uint8_t* before, std::uint8_t* column,
                                              int item, int target) {
  const long long stride = static_cast<long long>(gridDim.x) * kThreads;
  for (long long i = blockIdx.x * kThreads + threadIdx.x; i <= target; i += stride) {
    column[i] = before[i] | (i >= item ? before[i - item] : 0);
  }
}

const void* subset_sum(const std::vector<int>& items, int target, void* d_table, int chunk,
                       cudaStream_t stream) {
  const std::size_t pitch = byte_column_bytes(target);
  auto* column = static_cast<std::uint8_t*>(d_table);
  std::uint8_t* other = column + pitch;
  CUDA_CHECK(cudaMemsetAsync(column, 0, pitch, stream));
  CUDA_CHECK(cudaMemsetAsync(column, 1, 1, stream));  // the empty subset has the sum 0

  const int blocks = ceil_div(target + 1, kThreads * chunk);
  for (const int item : items) {
    subset_sum_two_columns_kernel<<<blocks, kThreads, 0, stream>>>(column, other, item, target);
    CUDA_CHECK(cudaGetLastError());
    std::swap(column, other);
  }
  return column;
}

TableLayout table_layout(std::size_t /*item_count*/, int target) {
  return {false, byte_column_bytes(target), 2};
}
