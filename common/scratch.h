#pragma once

#include "common/cuda_check.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

// Owns `size` elements of device memory for work that is queued on `stream` during its lifetime.
// The memory is freed in stream order, so the host does not wait. The memory pool keeps it, so the
// next allocation gets the same memory. Throws CudaError if there is not enough memory.
template <typename T>
class Scratch {
 public:
  Scratch(std::size_t size, cudaStream_t stream) : stream_(stream) {
    int device = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    cudaMemPool_t pool = nullptr;
    CUDA_CHECK(cudaDeviceGetDefaultMemPool(&pool, device));
    std::uint64_t kept_bytes = UINT64_MAX;
    CUDA_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept_bytes));
    const std::size_t bytes = std::max<std::size_t>(size, 1) * sizeof(T);
    CUDA_CHECK(cudaMallocAsync(reinterpret_cast<void**>(&data_), bytes, stream));
  }
  ~Scratch() { cudaFreeAsync(data_, stream_); }  // unchecked: a destructor must not throw
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  T* data() { return data_; }

 private:
  T* data_ = nullptr;
  cudaStream_t stream_;
};
