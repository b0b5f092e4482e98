// Exercise 1: two answers (10 minutes)
// Bug hunt
//
// The dot product of a = 1, 2, ..., n and b = 2, 4, ..., 2 n, with a check that needs no loop: a
// closed form. Sums of integers are exact, so the two answers must be equal, but they differ. The
// check has a bug that was printed in teaching material. The kernel has a bug that shows only for
// large n.
//
// TODO: find both bugs and fix them. (1 line each)
//
// Goal: both answers are correct for every n up to kMaxClosedForm.
// Check:   ./workbook check ch5_ex1
// Look:    ./workbook run ch5_ex1 -- --size 1
//
// Predict first: what is the dot product for n = 1, and for n = 2? Which of the two functions
// returns this number? And from which i on does i * 2 i need more than 32 bits?

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
    sum += a[i] * b[i];
  }

  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) atomicAdd(dot, sum);
}

void integer_dot(const unsigned* d_a, const unsigned* d_b, unsigned long long* d_dot,
                 std::size_t size, cudaStream_t stream) {
  const unsigned blocks = size == 0 ? 1 : std::min(ceil_div(size, kThreads), kMaxBlocks);
  CUDA_CHECK(cudaMemsetAsync(d_dot, 0, sizeof(*d_dot), stream));
  integer_dot_kernel<<<blocks, kThreads, 0, stream>>>(d_a, d_b, size, d_dot);
  CUDA_CHECK(cudaGetLastError());
}

unsigned long long closed_form(unsigned long long n) { return (n - 1) * n * (2 * n - 1) / 3; }
