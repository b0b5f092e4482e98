// Looks after each item.
// Rejected by: EarlyExit.StopsAtTheFirstLook

#include "early_exit.h"
#include "subset_sum.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstdint>
#include <utility>

constexpr int kThreads = 256;
constexpr int kBits = 32;  // of a word

__global__ void early_exit_kernel(const std::uint32_t* before, std::uint32_t* column, int item,
                                  int target) {
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

// Waits for the column, and says whether the target's bit is set.
static bool has_target(const std::uint32_t* column, int target, cudaStream_t stream) {
  std::uint32_t word = 0;
  CUDA_CHECK(cudaMemcpyAsync(&word, column + target / kBits, sizeof(word), cudaMemcpyDeviceToHost,
                             stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  return word >> target % kBits & 1;
}

Reachable is_reachable(const std::vector<int>& items, int target, void* d_table,
                       cudaStream_t stream) {
  const std::size_t pitch = packed_column_bytes(target);
  auto* column = static_cast<std::uint32_t*>(d_table);
  std::uint32_t* other = column + pitch / sizeof(std::uint32_t);
  CUDA_CHECK(cudaMemsetAsync(column, 0, pitch, stream));
  CUDA_CHECK(cudaMemsetAsync(column, 1, 1, stream));  // the sum of no items is 0

  const int blocks = ceil_div(target / kBits + 1, kThreads);
  for (std::size_t taken = 0; taken < items.size();) {
    early_exit_kernel<<<blocks, kThreads, 0, stream>>>(column, other, items[taken], target);
    CUDA_CHECK(cudaGetLastError());
    std::swap(column, other);
    ++taken;
    if (has_target(column, target, stream)) return {true, taken};
  }
  return {has_target(column, target, stream), items.size()};
}
