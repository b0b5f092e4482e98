// Exercise 1, solved: which pair?
//
// With 16384 vectors the number under the root has up to 30 bits, with 2^17 up to 36; a float keeps
// 24 of them, a double 53. At the first number of a row the root is an odd integer, and a double is
// exact. At the last number of the previous row it differs by 4 / root: for 2^17 vectors that is
// 1.5e-5. A double can represent this difference, a float, with steps of 1/64 there, cannot. From
// 23171 vectors on, 4 n (n - 1) does not fit an int, and from 46342 on n (n - 1) does not.

#include "pairs.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

constexpr int kThreads = 256;

// The row i of a pair: from the end, the rows have 1, 2, 3, .. pairs, so the number of rows below
// it is the root of a quadratic equation, rounded down.
__device__ int row_of(long long number, int count) {
  const long long radicand = 4LL * count * (count - 1) - 8 * number - 7;
  return count - 2 - static_cast<int>(floor(sqrt(static_cast<double>(radicand)) / 2.0 - 0.5));
}

// The number of pairs in the rows before row i: all pairs minus those from row i on.
__device__ long long pairs_before(int i, int count) {
  const long long doubled = 1LL * count * (count - 1) - 1LL * (count - i) * (count - i - 1);
  return doubled / 2;
}

__global__ void pairs_kernel(const long long* __restrict__ numbers, int* __restrict__ i_of,
                             int* __restrict__ j_of, int size, int count) {
  const int t = blockIdx.x * kThreads + threadIdx.x;
  if (t >= size) return;
  const int i = row_of(numbers[t], count);
  i_of[t] = i;
  j_of[t] = static_cast<int>(numbers[t] - pairs_before(i, count)) + i + 1;
}

void pairs_at(const long long* d_numbers, int* d_i, int* d_j, int size, int count,
              cudaStream_t stream) {
  if (size == 0) return;  // a grid has at least one block
  pairs_kernel<<<ceil_div(size, kThreads), kThreads, 0, stream>>>(d_numbers, d_i, d_j, size, count);
  CUDA_CHECK(cudaGetLastError());
}
