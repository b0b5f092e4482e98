// Stage 05: 16 bytes a thread
//
// A thread makes four words with one 16-byte store. The bits that it needs lie in two neighbouring
// vectors, item / 128 vectors down. Which of their eight words, and which bits of these, is the
// same for all threads: moving by two words, by one word and by bits, it takes out four.
//
// Cost: the bytes of stage 04 in a quarter of the requests. Next: 06_fused.cu.

#include "subset_sum.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstdint>
#include <utility>

constexpr int kThreads = 256;
constexpr int kBits = 128;  // of a vector

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

__global__ void subset_sum_vectorized_kernel(const uint4* __restrict__ before,
                                             uint4* __restrict__ column, int item, int target) {
  const int v = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int last = target / kBits;
  if (v > last) return;

  const uint4 vector = before[v] | shifted_vector(before, v, item);
  column[v] = v == last ? without_sums_past(vector, target) : vector;
}

const void* subset_sum(const std::vector<int>& items, int target, void* d_table, int /*chunk*/,
                       cudaStream_t stream) {
  const std::size_t pitch = packed_column_bytes(target);
  auto* column = static_cast<uint4*>(d_table);
  uint4* other = column + pitch / sizeof(uint4);
  CUDA_CHECK(cudaMemsetAsync(column, 0, pitch, stream));
  CUDA_CHECK(cudaMemsetAsync(column, 1, 1, stream));  // the sum of no items is 0

  const int blocks = ceil_div(target / kBits + 1, kThreads);
  for (const int item : items) {
    subset_sum_vectorized_kernel<<<blocks, kThreads, 0, stream>>>(column, other, item, target);
    CUDA_CHECK(cudaGetLastError());
    std::swap(column, other);
  }
  return column;
}

TableLayout table_layout(std::size_t /*item_count*/, int target) {
  return {true, packed_column_bytes(target), 2};
}
