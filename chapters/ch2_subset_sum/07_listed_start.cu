// Stage 07: listed start: the first ten items computed directly
//
// After a few items almost all bits are 0, and passes over them are wasted: ten items have at most
// 1024 sums, four per thread of a block. So the column after ten items is computed directly. Each
// block adds up all subsets. If a sum lies in the block's part of the column, which the block
// builds in shared memory, the thread sets a bit there. Then the block stores its part. One store
// of the column replaces two fills and four passes.
//
// Cost: 40 additions and a store of 16 bytes per thread, instead of the first ten items. Next:
// 08_persistent.cu.

#include "packed_vector.h"
#include "shifts.h"
#include "subset_sum.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <algorithm>
#include <cstdint>
#include <utility>

constexpr int kThreads = 256;
constexpr int kItemsPerPass = 3;
constexpr int kListedItems = 10;  // a thread of a block has four subsets of these items

struct ListedItems {
  int items[kListedItems];
};

// Returns vector `v` of the column moved up by `shift` bits; the bits that enter from below are 0.
__device__ uint4 shifted_vector(const uint4* column, int v, int shift) {
  const int from = v - shift / kVectorBits;
  const uint4 high = from >= 0 ? column[from] : uint4{};
  const uint4 low = from >= 1 ? column[from - 1] : uint4{};
  return moved_up(low, high, shift % kVectorBits);
}

// Computes the column after the listed items.
__global__ void list_sums_kernel(uint4* column, ListedItems listed, int target) {
  __shared__ uint4 vectors[kThreads];
  vectors[threadIdx.x] = uint4{};
  __syncthreads();  // all are 0 before any thread sets a bit

  constexpr int kBlockBits = kThreads * kVectorBits;
  for (unsigned subset = threadIdx.x; subset < 1 << kListedItems; subset += kThreads) {
    long long sum = 0;
    for (int k = 0; k < kListedItems; ++k) sum += (subset >> k & 1) * listed.items[k];
    if (sum <= target && sum / kBlockBits == blockIdx.x) {
      const int bit = static_cast<int>(sum % kBlockBits);
      atomicOr(reinterpret_cast<std::uint32_t*>(vectors) + bit / 32, 1u << bit % 32);
    }
  }
  __syncthreads();  // all bits are set before any thread stores

  const int v = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (v <= target / kVectorBits) column[v] = vectors[threadIdx.x];
}

template <int kItems>
__global__ void subset_sum_listed_start_kernel(const uint4* __restrict__ before,
                                               uint4* __restrict__ column, Shifts<kItems> shifts,
                                               int target) {
  const int v = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int last = target / kVectorBits;
  if (v > last) return;

  uint4 vector = before[v];
#pragma unroll
  for (int subset = 1; subset < 1 << kItems; ++subset) {
    vector = vector | shifted_vector(before, v, shifts.by[subset]);
  }
  if (v == last) vector = without_sums_past(vector, target);
  column[v] = vector;
}

template <int kItems>
static void launch_pass(const int* items, const uint4* before, uint4* column, int target,
                        cudaStream_t stream) {
  const int blocks = ceil_div(target / kVectorBits + 1, kThreads);
  subset_sum_listed_start_kernel<kItems>
      <<<blocks, kThreads, 0, stream>>>(before, column, shifts_of<kItems>(items, target), target);
  CUDA_CHECK(cudaGetLastError());
}

// Adds the items from `item` to `end`. Returns the column that was computed last.
static const uint4* launch_passes(const int* item, const int* end, uint4* column, uint4* other,
                                  int target, cudaStream_t stream) {
  while (item < end) {
    const auto left = std::min<std::ptrdiff_t>(end - item, kItemsPerPass);
    if (left == 3) launch_pass<3>(item, column, other, target, stream);
    if (left == 2) launch_pass<2>(item, column, other, target, stream);
    if (left == 1) launch_pass<1>(item, column, other, target, stream);
    item += left;
    std::swap(column, other);
  }
  return column;
}

const void* subset_sum(const std::vector<int>& items, int target, void* d_table, int /*chunk*/,
                       cudaStream_t stream) {
  const std::size_t pitch = packed_column_bytes(target);
  auto* column = static_cast<uint4*>(d_table);
  uint4* other = column + pitch / sizeof(uint4);

  ListedItems listed{};  // an item of 0 adds no sum
  const auto listed_count = std::min<std::size_t>(items.size(), kListedItems);
  std::copy_n(items.data(), listed_count, listed.items);
  const int blocks = ceil_div(target / kVectorBits + 1, kThreads);
  list_sums_kernel<<<blocks, kThreads, 0, stream>>>(column, listed, target);
  CUDA_CHECK(cudaGetLastError());

  return launch_passes(items.data() + listed_count, items.data() + items.size(), column, other,
                       target, stream);
}

TableLayout table_layout(std::size_t /*item_count*/, int target) {
  return {true, packed_column_bytes(target), 2};
}
