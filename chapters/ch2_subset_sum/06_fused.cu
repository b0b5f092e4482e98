// Stage 06: fused: three items per pass
//
// With three items a sum can be reached from eight earlier sums: the sum minus any of the eight
// subsets of the three items. So one pass over the column adds three items, with eight shifted
// columns and one store. Three items then need one launch, and read the stored column once.
//
// Cost: a third of the launches and stores; three items read 8 columns instead of 6. Only every
// third column is computed. Next: 07_listed_start.cu.

#include "packed_vector.h"
#include "shifts.h"
#include "subset_sum.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <algorithm>
#include <utility>

constexpr int kThreads = 256;
constexpr int kItemsPerPass = 3;

// Returns vector `v` of the column moved up by `shift` bits; the bits that enter from below are 0.
__device__ uint4 shifted_vector(const uint4* column, int v, int shift) {
  const int from = v - shift / kVectorBits;
  const uint4 high = from >= 0 ? column[from] : uint4{};
  const uint4 low = from >= 1 ? column[from - 1] : uint4{};
  return moved_up(low, high, shift % kVectorBits);
}

template <int kItems>
__global__ void subset_sum_fused_kernel(const uint4* __restrict__ before,
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
  subset_sum_fused_kernel<kItems>
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
  CUDA_CHECK(cudaMemsetAsync(column, 0, pitch, stream));
  CUDA_CHECK(cudaMemsetAsync(column, 1, 1, stream));  // the empty subset has the sum 0

  return launch_passes(items.data(), items.data() + items.size(), column, other, target, stream);
}

TableLayout table_layout(std::size_t /*item_count*/, int target) {
  return {true, packed_column_bytes(target), 2};
}
