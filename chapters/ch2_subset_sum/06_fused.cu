// Stage 06: several items a pass
//
// With three items a sum can be reached from eight others: less none of them, less each, less each
// two, less all three. So one pass over the column takes in three items: eight shifted columns, one
// store. A launch and the reading of what the last one wrote are paid once for three items.
//
// Cost: a third of the launches and stores; 8 reads for three items where there were 6. The column
// of an item in between is never made. Next: 07_listed_start.cu.

#include "subset_sum.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <algorithm>
#include <cstdint>
#include <utility>

constexpr int kThreads = 256;
constexpr int kBits = 128;  // of a vector
constexpr int kItemsPerPass = 3;

// What all subsets of a pass's items add to a sum: nothing, the first item, the second, both, ...
template <int kItems>
struct Shifts {
  int by[1 << kItems];
};

// Vector `v` of the column moved up by `shift` bits; what comes in from below is 0.
__device__ uint4 shifted_vector(const uint4* column, int v, int shift) {
  const int from = v - shift / kBits;
  const uint4 zero{};
  const uint4 low = from >= 1 ? column[from - 1] : zero;
  const uint4 high = from >= 0 ? column[from] : zero;
  std::uint32_t w[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
  for (int k = 7; k >= 2; --k) w[k] = shift & 64 ? w[k - 2] : w[k];
#pragma unroll
  for (int k = 7; k >= 3; --k) w[k] = shift & 32 ? w[k - 1] : w[k];
  return {__funnelshift_l(w[3], w[4], shift), __funnelshift_l(w[4], w[5], shift),
          __funnelshift_l(w[5], w[6], shift), __funnelshift_l(w[6], w[7], shift)};
}

__device__ uint4 operator|(const uint4& a, const uint4& b) {
  return {a.x | b.x, a.y | b.y, a.z | b.z, a.w | b.w};
}

// The vector without the sums past the target, which is in it.
__device__ uint4 without_sums_past(const uint4& vector, int target) {
  const int last = target % kBits;
  const auto mask = [last](int word) {
    const int bits = last + 1 - 32 * word;  // of this word that are sums up to the target
    return bits >= 32 ? 0xffffffff : bits <= 0 ? 0 : 0xffffffff >> (32 - bits);
  };
  return {vector.x & mask(0), vector.y & mask(1), vector.z & mask(2), vector.w & mask(3)};
}

template <int kItems>
__global__ void subset_sum_fused_kernel(const uint4* __restrict__ before,
                                        uint4* __restrict__ column, Shifts<kItems> shifts,
                                        int target) {
  const int v = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int last = target / kBits;
  if (v > last) return;

  uint4 vector = before[v];
#pragma unroll
  for (int subset = 1; subset < 1 << kItems; ++subset) {
    vector = vector | shifted_vector(before, v, shifts.by[subset]);
  }
  column[v] = v == last ? without_sums_past(vector, target) : vector;
}

// Past the target all shifts are alike: they move every bit out of the column.
template <int kItems>
static Shifts<kItems> shifts_of(const int* items, int target) {
  Shifts<kItems> shifts;
  for (int subset = 0; subset < 1 << kItems; ++subset) {
    long long sum = 0;
    for (int k = 0; k < kItems; ++k) sum += subset >> k & 1 ? items[k] : 0;
    shifts.by[subset] = static_cast<int>(std::min(sum, target + 1LL));
  }
  return shifts;
}

template <int kItems>
static void launch_pass(const int* items, const uint4* before, uint4* column, int target,
                        cudaStream_t stream) {
  const int blocks = ceil_div(target / kBits + 1, kThreads);
  subset_sum_fused_kernel<kItems><<<blocks, kThreads, 0, stream>>>(
      before, column, shifts_of<kItems>(items, target), target);
  CUDA_CHECK(cudaGetLastError());
}

// Takes in the items from `item` to `end`. Returns the column that was made last.
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
  CUDA_CHECK(cudaMemsetAsync(column, 1, 1, stream));  // the sum of no items is 0

  return launch_passes(items.data(), items.data() + items.size(), column, other, target, stream);
}

TableLayout table_layout(std::size_t /*item_count*/, int target) {
  return {true, packed_column_bytes(target), 2};
}
