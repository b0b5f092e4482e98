// Integers, step 01: dynamic shared memory, as in a tutorial
//
// At most 32 blocks of 256 threads, for every size, each with a loop over its elements and a tree
// in shared memory. The shared memory is dynamic: the launch specifies the bytes per block. The
// host copies the partial sums and adds them. Nothing is rounded, so the result can be checked to
// the last digit.
//
// Cost: 32 consecutive numbers of 8 bytes are 8 sectors per request. 32 blocks use a quarter of the
// multiprocessors of an H200. Next: integer_dot/02_static.cu.

#include "integer_dot/integers.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

__global__ void integer_dot_kernel(const unsigned long long* __restrict__ a,
                                   const unsigned long long* __restrict__ b, std::size_t size,
                                   unsigned long long* partial_sums) {
  extern __shared__ unsigned long long sums[];  // one per thread; the launch gives the size

  unsigned long long thread_sum = 0;
  const std::size_t stride = gridDim.x * blockDim.x;
  for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += stride) {
    thread_sum += a[i] * b[i];
  }
  sums[threadIdx.x] = thread_sum;

  __syncthreads();  // the first step reads what other threads wrote

  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
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
  constexpr std::size_t kSharedBytes = kIntegerThreads * sizeof(unsigned long long);
  integer_dot_kernel<<<blocks, kIntegerThreads, kSharedBytes, stream>>>(d_a, d_b, size, d_sums);
  CUDA_CHECK(cudaGetLastError());

  std::vector<unsigned long long> sums(blocks);
  CUDA_CHECK(cudaMemcpyAsync(sums.data(), d_sums, blocks * sizeof(sums[0]), cudaMemcpyDeviceToHost,
                             stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));  // the host reads what the blocks wrote
  return std::accumulate(sums.begin(), sums.end(), 0ull);
}
