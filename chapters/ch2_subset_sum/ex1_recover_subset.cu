// Exercise 1: which items? (15 minutes)
//
// Two columns show that a sum can be made, but not from which items. All columns, as in stage 01,
// would show the items, but they use a byte per entry. It is enough to store the *first* item that
// made each sum. The sum minus that item could be made before, so an earlier item is stored for it.
// A walk back from the target, item by item, finds the subset.
//
// Goal: a subset that adds up to the target, whenever there is one.
// Check:   ./workbook check ch2_ex1
// Run:     ./workbook run ch2_ex1
//
// Predict first: can the walk meet an item twice? How many steps does the walk have at most?

#include "recover.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <cstdint>
#include <utility>

constexpr int kThreads = 256;

// Sets first_item[i] = j for each sum i that item j, `item`, is the first to make.
__global__ void recover_subset_kernel(const std::uint8_t* __restrict__ before,
                                      std::uint8_t* __restrict__ column, int* first_item, int j,
                                      int item, int target) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (i > target) return;
  const bool was_reachable = before[i];
  const bool is_reachable = was_reachable || (i >= item && before[i - item]);
  column[i] = is_reachable;
  // TODO: if an earlier item was the first, keep its index (1 line).
  if (is_reachable) first_item[i] = j;
}

// Returns the items on the walk through `first_item`, from the target down to the sum 0.
static std::vector<std::size_t> walk_back(const std::vector<int>& first_item,
                                          const std::vector<int>& items, int target) {
  std::vector<std::size_t> subset;
  int left = target;
  for (std::size_t step = 0; left > 0 && step < items.size(); ++step) {
    const int j = first_item[left];
    // TODO: item j is in the subset (1 line).
    left -= items[j];
  }
  return subset;
}

std::optional<std::vector<std::size_t>> recover_subset(const std::vector<int>& items, int target,
                                                       cudaStream_t stream) {
  const std::size_t entries = static_cast<std::size_t>(target) + 1;
  DeviceBuffer<std::uint8_t> d_before(entries), d_column(entries);
  DeviceBuffer<int> d_first_item(entries);
  CUDA_CHECK(cudaMemsetAsync(d_column.data(), 0, entries, stream));
  CUDA_CHECK(cudaMemsetAsync(d_column.data(), 1, 1, stream));  // the empty subset has the sum 0
  CUDA_CHECK(cudaMemsetAsync(d_first_item.data(), 0, entries * sizeof(int), stream));

  const auto blocks = static_cast<unsigned>(ceil_div(entries, std::size_t{kThreads}));
  std::uint8_t *before = d_before.data(), *column = d_column.data();
  for (std::size_t j = 0; j < items.size(); ++j) {
    std::swap(before, column);
    recover_subset_kernel<<<blocks, kThreads, 0, stream>>>(before, column, d_first_item.data(),
                                                           static_cast<int>(j), items[j], target);
    CUDA_CHECK(cudaGetLastError());
  }

  std::uint8_t is_reachable{};
  CUDA_CHECK(cudaMemcpyAsync(&is_reachable, column + target, 1, cudaMemcpyDeviceToHost, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  if (!is_reachable) return std::nullopt;
  return walk_back(d_first_item.to_host(), items, target);
}
