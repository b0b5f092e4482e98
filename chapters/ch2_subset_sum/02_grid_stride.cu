// Stage 02: grid-stride loop
//
// Each thread computes `chunk` entries, which are a whole grid apart. So fewer threads start, and
// each thread computes more entries. A warp still reads consecutive bytes in every iteration.
//
// Cost: the bytes and requests of stage 01. The number of threads is divided by chunk.
// Next: 02b_loads_first.cu, or 03_two_columns.cu.

#include "subset_sum.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>
#include <cstdint>

constexpr std::size_t kThreads = 256;

__global__ void subset_sum_grid_stride_kernel(const std::uint8_t* before, std::uint8_t* column,
                                              std::size_t item, std::size_t target) {
  const std::size_t stride = gridDim.x * kThreads;
  for (std::size_t i = blockIdx.x * kThreads + threadIdx.x; i <= target; i += stride) {
    column[i] = before[i] | (i >= item ? before[i - item] : 0);
  }
}

const void* subset_sum(const std::vector<int>& items, int target, void* d_table, int chunk,
                       cudaStream_t stream) {
  const std::size_t pitch = byte_column_bytes(target);
  auto* column = static_cast<std::uint8_t*>(d_table);
  CUDA_CHECK(cudaMemsetAsync(column, 0, pitch, stream));
  CUDA_CHECK(cudaMemsetAsync(column, 1, 1, stream));  // the empty subset has the sum 0

  const std::size_t entries = target + 1;  // the sums 0, 1, ..., target
  const unsigned blocks = ceil_div(entries, kThreads * chunk);
  for (const int item : items) {
    subset_sum_grid_stride_kernel<<<blocks, kThreads, 0, stream>>>(column, column + pitch, item,
                                                                   target);
    CUDA_CHECK(cudaGetLastError());
    column += pitch;
  }
  return column;
}
