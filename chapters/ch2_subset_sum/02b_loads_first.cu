// Stage 02b: loads first
//
// Stage 02, but a thread issues the loads of four entries before it uses the first value. So four
// times as many loads are in flight.
//
// Cost: the bytes and requests of stage 02.
// Next: 03_two_columns.cu.

#include "subset_sum.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>
#include <cstdint>

constexpr std::size_t kThreads = 256;
constexpr std::size_t kEntriesAtOnce = 4;  // 1 is stage 02

__global__ void subset_sum_loads_first_kernel(const std::uint8_t* before, std::uint8_t* column,
                                              std::size_t item, std::size_t target) {
  const std::size_t stride = gridDim.x * kThreads;
  for (std::size_t first = blockIdx.x * kThreads + threadIdx.x; first <= target;
       first += kEntriesAtOnce * stride) {
    std::uint8_t without[kEntriesAtOnce];
    std::uint8_t with[kEntriesAtOnce];
    for (std::size_t k = 0; k < kEntriesAtOnce; ++k) {
      const std::size_t i = first + k * stride;
      without[k] = i <= target ? before[i] : 0;
      with[k] = i <= target && i >= item ? before[i - item] : 0;
    }
    for (std::size_t k = 0; k < kEntriesAtOnce; ++k) {
      const std::size_t i = first + k * stride;
      if (i <= target) column[i] = without[k] | with[k];
    }
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
    subset_sum_loads_first_kernel<<<blocks, kThreads, 0, stream>>>(column, column + pitch, item,
                                                                   target);
    CUDA_CHECK(cudaGetLastError());
    column += pitch;
  }
  return column;
}
