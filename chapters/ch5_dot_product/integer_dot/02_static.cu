// Integers, step 02: static shared memory
//
// The number of threads is a constant, so the array in shared memory has a constant length,
// and the launch does not specify it. The steps of the tree are known at compile time.
//
// Cost: that of integer_dot/01_dynamic.cu, to the last byte.

#include "integer_dot/integers.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

__global__ void integer_dot_static_kernel(const unsigned long long* __restrict__ a,
                                          const unsigned long long* __restrict__ b,
                                          std::size_t size, unsigned long long* partial_sums) {
  __shared__ unsigned long long sums[kIntegerThreads];

  unsigned long long thread_sum = 0;
  const std::size_t stride = gridDim.x * blockDim.x;
  for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += stride) {
    thread_sum += a[i] * b[i];
  }
  sums[threadIdx.x] = thread_sum;

  __syncthreads();  // the first step reads what other threads wrote

  for (unsigned half = kIntegerThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();  // the next step reads what this one wrote
  }

  if (threadIdx.x == 0) partial_sums[blockIdx.x] = sums[0];
}

unsigned long long integer_dot_product(const unsigned long long* d_a, const unsigned long long* d_b,
                                       std::size_t size, unsigned long long* d_sums,
                                       cudaStream_t stream) {
  const std::size_t wanted_blocks = ceil_div(size, std::size_t{kIntegerThreads});
  const auto blocks =
      static_cast<unsigned>(std::clamp<std::size_t>(wanted_blocks, 1, kIntegerBlocks));
  integer_dot_static_kernel<<<blocks, kIntegerThreads, 0, stream>>>(d_a, d_b, size, d_sums);
  CUDA_CHECK(cudaGetLastError());

  std::vector<unsigned long long> sums(blocks);
  CUDA_CHECK(cudaMemcpyAsync(sums.data(), d_sums, blocks * sizeof(sums[0]), cudaMemcpyDeviceToHost,
                             stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));  // the host reads what the blocks wrote
  return std::accumulate(sums.begin(), sums.end(), 0ull);
}
