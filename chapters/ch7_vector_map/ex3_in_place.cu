// Exercise 3: in place (10 minutes)
// Bug hunt
//
// This kernel was written for two arrays, and is correct for them. A block computes a tile of 1024
// elements, and the last tile is moved back, so that it ends where the data ends and needs no
// guard. So two blocks compute some of the elements, and get the same result.
//
// TODO: now x and y are the same array. Find the bug and fix it. (3 lines)
//
// Goal: a correct result for every n, in any order of the blocks, and no race.
// Check:   ./workbook check ch7_ex3
// Run:     ./workbook run ch7_ex3
//
// Predict first: for which n is the result of this kernel correct?
//
// You can ignore shared_reduction.h, with its Fraction, and accuracy(): map() computes one element,
// tan x + 3 sin x.

#include "in_place.h"
#include "shared_reduction.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr std::size_t kThreads = 256;
constexpr std::size_t kTile = 4 * kThreads;

__device__ float map(float x) {
  const Fraction fraction = map_fraction(x);
  return static_cast<float>(fraction.numerator / fraction.denominator);
}

__global__ void map_in_place_kernel(float* x, std::size_t n) {
  const std::size_t tile = min(kTile, n);
  const std::size_t first = min(blockIdx.x * kTile, n - tile);
  const std::size_t end = first + tile;
  for (std::size_t i = first + threadIdx.x; i < end; i += kThreads) {
    x[i] = map(x[i]);
  }
}

void map_in_place(float* d_x, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;  // a grid of 0 blocks is an error
  const unsigned blocks = ceil_div(n, kTile);
  map_in_place_kernel<<<blocks, kThreads, 0, stream>>>(d_x, n);
  CUDA_CHECK(cudaGetLastError());
}

// As 03_vectorized.cu.
Accuracy accuracy() { return {0.75, /*in_ulp_of_larger_term=*/false}; }
