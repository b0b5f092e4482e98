// Doubles in place, with the functions of CUDA's library
//
// As in the chapter's source: one array, blocks of 1024 threads, one element per thread. A thread
// reads its element and overwrites it with the result; no other thread uses it.
//
// Cost: 8 sectors per request, as double_accurate, and half its memory.

#include "in_place_double.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

constexpr std::size_t kThreads = 1024;

__global__ void in_place_doubles_kernel(double* x, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    const double argument = x[i];
    x[i] = tan(argument) + 3.0 * sin(argument);
  }
}

void double_map_in_place(double* d_x, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;  // a grid of 0 blocks is an error
  const auto blocks = static_cast<unsigned>(ceil_div(n, kThreads));
  in_place_doubles_kernel<<<blocks, kThreads, 0, stream>>>(d_x, n);
  CUDA_CHECK(cudaGetLastError());
}

// The CUDA Programming Guide's bounds: tan 2 ulp, sin 2 ulp; the rest as in 01_accurate.cu.
Accuracy accuracy() { return {2 + 3 + 0.5 + 1, /*in_ulp_of_larger_term=*/true}; }
