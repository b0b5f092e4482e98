// Exercise 5: four elements per thread (12 minutes)
// Rewrite
//
// This is stage 01. A thread loads one float and waits for it. 4 bytes in flight per thread are not
// enough to keep memory busy.
//
// TODO: let each thread handle four elements, and load all four before it uses the first. The check
// counts only requests: it cannot detect this order. (about 8 lines)
//
// Goal: 1/4 of the threads, and still 4 sectors per request. Which elements must a thread handle?
// Check:   ./workbook check ch7_ex5
// Look:    ./workbook inspect ch7_ex5
//
// Predict first: how many load requests do the warps then issue? How many bytes do 2048 such
// threads have in flight? On a GPU, measure the time before and after: ./workbook run ch7_ex5

#include "vector_map.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr std::size_t kThreads = 256;

__global__ void vector_map_four_elements_kernel(const float* __restrict__ x, float* __restrict__ y,
                                                std::size_t n) {
  const std::size_t i = blockIdx.x * kThreads + threadIdx.x;
  if (i < n) {
    y[i] = tanf(x[i]) + 3.0f * sinf(x[i]);
  }
}

void vector_map(const float* d_x, float* d_y, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;  // a grid of 0 blocks is an error
  const unsigned blocks = ceil_div(n, kThreads);
  vector_map_four_elements_kernel<<<blocks, kThreads, 0, stream>>>(d_x, d_y, n);
  CUDA_CHECK(cudaGetLastError());
}

// The CUDA Programming Guide's bounds: tanf 4 ulp, sinf 2 ulp. An ulp of 3 sin x is at least 2 ulp
// of sin x, so 3 times 2 of these are at most 3; the product rounds by 1/2, the sum by at most 1.
Accuracy accuracy() { return {4 + 3 + 0.5 + 1, /*in_ulp_of_larger_term=*/true}; }
