// Divides before it multiplies.
// Rejected by: CountsTheLastTerm

#include "closed_form.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <algorithm>
#include <cstddef>

constexpr std::size_t kThreads = 256;
constexpr std::size_t kMaxBlocks = 4096;

// The sum over the warp, in lane 0.
__device__ unsigned long long warp_sum(unsigned long long value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_down_sync(0xffffffff, value, offset);
  }
  return value;
}

__global__ void integer_dot_kernel(const unsigned* __restrict__ a, const unsigned* __restrict__ b,
                                   std::size_t size, unsigned long long* dot) {
  unsigned long long sum = 0;
  for (std::size_t i = blockIdx.x * kThreads + threadIdx.x; i < size; i += gridDim.x * kThreads) {
    sum += static_cast<unsigned long long>(a[i]) * b[i];
  }

  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) atomicAdd(dot, sum);
}

void integer_dot(const unsigned* d_a, const unsigned* d_b, unsigned long long* d_dot,
                 std::size_t size, cudaStream_t stream) {
  const auto blocks =
      static_cast<unsigned>(std::clamp<std::size_t>(ceil_div(size, kThreads), 1, kMaxBlocks));
  CUDA_CHECK(cudaMemsetAsync(d_dot, 0, sizeof(*d_dot), stream));
  integer_dot_kernel<<<blocks, kThreads, 0, stream>>>(d_a, d_b, size, d_dot);
  CUDA_CHECK(cudaGetLastError());
}

unsigned long long closed_form(unsigned long long n) { return n / 3 * (n + 1) * (2 * n + 1); }
