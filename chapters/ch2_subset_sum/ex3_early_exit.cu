// Exercise 3: an early exit (15 minutes)
//
// Is there a subset that adds up to the target? If the first items can make the target, the other
// items do not matter. This is stage 04 with a check of the target at its end. It is correct, but
// it processes all items.
//
// Goal: the host checks the target's bit after every kItemsPerLook items, and stops if it is set.
// Check:   ./workbook check ch2_ex3
// Run:     ./workbook run ch2_ex3 -- --items 1000
//
// Predict first: an item takes about 4 microseconds. A check takes longer: the host waits for the
// GPU, and then the GPU waits for the host. After how many items would you check, if you knew
// nothing about the items?

#include "early_exit.h"
#include "subset_sum.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstdint>
#include <utility>

constexpr int kThreads = 256;
constexpr int kBits = 32;  // bits per word

__global__ void early_exit_kernel(const std::uint32_t* before, std::uint32_t* column, int item,
                                  int target) {
  const int w = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (w > target / kBits) return;

  const int from = w - item / kBits;
  const std::uint32_t high = from >= 0 ? before[from] : 0;
  const std::uint32_t low = from >= 1 ? before[from - 1] : 0;
  // Sums past the target can stay in the last word: bits move up, and these bits are never read.
  column[w] = before[w] | __funnelshift_l(low, high, item % kBits);
}

// Waits for the column, and returns whether the target's bit is set.
static bool has_target(const std::uint32_t* column, int target, cudaStream_t stream) {
  std::uint32_t word{};
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
  CUDA_CHECK(cudaMemsetAsync(column, 1, 1, stream));  // the empty subset has the sum 0

  const int blocks = ceil_div(target / kBits + 1, kThreads);
  for (std::size_t taken = 0; taken < items.size();) {
    early_exit_kernel<<<blocks, kThreads, 0, stream>>>(column, other, items[taken], target);
    CUDA_CHECK(cudaGetLastError());
    std::swap(column, other);
    ++taken;
    // TODO: after every kItemsPerLook items: if the target's bit is set, return that it is
    // reachable, and the number of items taken (1 to 3 lines).
  }
  return {has_target(column, target, stream), items.size()};
}
