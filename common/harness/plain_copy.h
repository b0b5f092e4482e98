#pragma once

#include "common/cuda_check.h"

#include <cuda_runtime.h>

#include <cstddef>

// The ceiling of chapters that transfer data: queues a copy of `bytes` bytes from device memory to
// device memory, on the default stream.
inline void queue_copy(void* d_to, const void* d_from, std::size_t bytes) {
  CUDA_CHECK(cudaMemcpyAsync(d_to, d_from, bytes, cudaMemcpyDeviceToDevice));
}
