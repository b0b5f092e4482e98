// Exercise 2: the largest element (8 minutes)
// Bug hunt
//
// This is the exchange of stage 03, with the maximum instead of the sum: stage 03 adds two values,
// this kernel selects the larger one. atomicMax() does not accept doubles, so there are two
// launches. In the first launch each block stores its largest element. In the second launch one
// block finds the largest of these. The result is correct for random numbers around 0. But a thread
// without an element must contribute a value that changes no result.
//
// TODO: find out for which data the result is wrong, and why. Fix it (1 line).
//
// Goal: correct for data of any sign, and for no data at all (see maximum.h).
// Check:   ./workbook check ch4_ex2
// Look:    ./workbook run ch4_ex2
//
// Predict first: the input is 1000 numbers that are all -3. What does this kernel return, and which
// thread contributed that value?

#include "maximum.h"

#include "reduction.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

constexpr std::size_t kThreads = 1024;
constexpr unsigned kWarps = kThreads / 32;
static_assert(kWarps == 32);  // so that one warp can compare their maxima, one per lane
constexpr std::size_t kMaxBlocks = 4096;
static_assert(kMaxBlocks * sizeof(double) <= kWorkspaceBytes);

constexpr double kIdentity = 0.0;

// The largest value of the warp, in lane 0.
__device__ double warp_maximum(double value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value = fmax(value, __shfl_down_sync(0xffffffff, value, offset));
  }
  return value;
}

// The largest value of the block, in thread 0.
__device__ double block_maximum(double value) {
  __shared__ double warp_maxima[kWarps];
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;

  value = warp_maximum(value);
  if (lane == 0) warp_maxima[warp] = value;
  __syncthreads();  // the first warp reads what all warps wrote
  if (warp == 0) value = warp_maximum(warp_maxima[lane]);
  return value;
}

// maxima[b] = the largest element of block b. A thread compares one element, or several elements
// that are one grid apart.
__global__ void maximum_kernel(const double* __restrict__ in, double* maxima, std::size_t size) {
  double thread_maximum = kIdentity;
  for (std::size_t i = blockIdx.x * kThreads + threadIdx.x; i < size; i += gridDim.x * kThreads) {
    thread_maximum = fmax(thread_maximum, in[i]);
  }

  const double maximum_of_block = block_maximum(thread_maximum);
  if (threadIdx.x == 0) maxima[blockIdx.x] = maximum_of_block;
}

void maximum(const double* d_in, double* d_maximum, std::size_t size, void* d_workspace,
             cudaStream_t stream) {
  const unsigned blocks = size == 0 ? 1 : std::min(ceil_div(size, kThreads), kMaxBlocks);
  double* const d_maxima = static_cast<double*>(d_workspace);
  maximum_kernel<<<blocks, kThreads, 0, stream>>>(d_in, d_maxima, size);
  CUDA_CHECK(cudaGetLastError());
  maximum_kernel<<<1, kThreads, 0, stream>>>(d_maxima, d_maximum, blocks);
  CUDA_CHECK(cudaGetLastError());
}
