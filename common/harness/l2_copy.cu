// The ceiling: a copy of a packed column
//
// The minimum time of an item that has its own launch, reads one column and writes one column.
//
// Cost: 16 bytes read and 16 written per thread.

#include "common/harness/l2_copy.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

constexpr std::size_t kThreads = 256;

__global__ void l2_copy_kernel(const uint4* __restrict__ from, uint4* __restrict__ to,
                               std::size_t count) {
  const std::size_t v = blockIdx.x * kThreads + threadIdx.x;
  if (v < count) to[v] = from[v];
}

void l2_copy(const void* d_from, void* d_to, std::size_t bytes, cudaStream_t stream) {
  const std::size_t count = bytes / sizeof(uint4);
  const auto blocks = static_cast<unsigned>(ceil_div(count, kThreads));
  l2_copy_kernel<<<blocks, kThreads, 0, stream>>>(static_cast<const uint4*>(d_from),
                                                  static_cast<uint4*>(d_to), count);
  CUDA_CHECK(cudaGetLastError());
}
