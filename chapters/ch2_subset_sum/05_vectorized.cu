// Stage 05: vectorized: 16 bytes per thread
//
// A thread computes four words and stores them with one 16-byte store. The shifted bits are in two
// adjacent vectors, item / 128 vectors down; a 16-byte load reads each. moved_up() in
// packed_vector.h extracts four words from these eight; all threads use the same shift.
//
// Cost: the bytes of stage 04 in a quarter of the requests. Next: 06_fused.cu.

#include "packed_vector.h"
#include "subset_sum.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <utility>

constexpr int kThreads = 256;

// Returns vector `v` of the column moved up by `shift` bits; the bits that enter from below are 0.
__device__ uint4 shifted_vector(const uint4* column, int v, int shift) {
  const int from = v - shift / kVectorBits;
  const uint4 high = from >= 0 ? column[from] : uint4{};
  const uint4 low = from >= 1 ? column[from - 1] : uint4{};
  return moved_up(low, high, shift % kVectorBits);
}

__global__ void subset_sum_vectorized_kernel(const uint4* __restrict__ before,
                                             uint4* __restrict__ column, int item, int target) {
  const int v = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int last = target / kVectorBits;
  if (v > last) return;

  uint4 vector = before[v] | shifted_vector(before, v, item);
  if (v == last) vector = without_sums_past(vector, target);
  column[v] = vector;
}

const void* subset_sum(const std::vector<int>& items, int target, void* d_table, int /*chunk*/,
                       cudaStream_t stream) {
  const std::size_t pitch = packed_column_bytes(target);
  auto* column = static_cast<uint4*>(d_table);
  uint4* other = column + pitch / sizeof(uint4);
  CUDA_CHECK(cudaMemsetAsync(column, 0, pitch, stream));
  CUDA_CHECK(cudaMemsetAsync(column, 1, 1, stream));  // the empty subset has the sum 0

  const int blocks = ceil_div(target / kVectorBits + 1, kThreads);
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
