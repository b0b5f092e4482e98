#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <iterator>

// For tests of a value in each thread of a launch: operation(rank in the block).
template <typename Operation, typename T>
__global__ void of_each_thread_kernel(T* out, Operation operation) {
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  out[block * (blockDim.x * blockDim.y * blockDim.z) + thread] = operation(thread);
}

// Five numbers of one thread. No intrinsic can move such a value at once.
struct Five {
  unsigned v[5];
  bool operator==(const Five& other) const {
    return std::equal(std::begin(v), std::end(v), std::begin(other.v));
  }
};

__device__ inline Five five(unsigned a, unsigned b, unsigned c, unsigned d, unsigned e) {
  return {{a, b, c, d, e}};
}
