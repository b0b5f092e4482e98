// Exercise 1: which pair?
// Bug hunt
//
// Thread t of stage 01 makes distance t, and has to know of which two vectors. Row i begins where
// the rows before it end, so i is the root of a quadratic equation, rounded down. This kernel
// solves it as published kernels have done, and all small numbers of vectors come out right.
//
// TODO: find the three lines in which digits are lost, and mend them.
//
// Goal: every pair is right, up to 2^17 vectors.
// Check:   ./workbook check ch8_ex1
// Look:    ./workbook run ch8_ex1 -- --n 4097, and with 4098
//
// Predict first: how many bits does b * b have for 16384 vectors? How many does a float keep? How
// large is the largest number that pairs_before() divides by 2, and does it fit an int?

#include "pairs.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

constexpr int kThreads = 256;

// How many pairs there are in the rows before row i.
__device__ long long pairs_before(int i, int count) {
  const int doubled = i * (2 * count - i - 1);
  return doubled / 2;
}

// The row i with pairs_before(i) <= number < pairs_before(i + 1): the root of a quadratic equation,
// rounded down.
__device__ int row_of(long long number, int count) {
  const float b = 2.0f * count - 1;
  const float root = sqrtf(b * b - 8.0f * number);
  return static_cast<int>((b - root) / 2);
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
