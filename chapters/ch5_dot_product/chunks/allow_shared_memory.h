#pragma once

#include "common/cuda_check.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <stdexcept>

// Lets launches of a kernel have `bytes` of dynamic shared memory a block. What a launch may have
// without asking is the same on all GPUs, 48 KiB; what it may have at all depends on the GPU.
// Throws std::runtime_error, which names all three sizes, if `bytes` is more.
template <typename Kernel>
void allow_shared_memory(Kernel* kernel, std::size_t bytes) {
  int device = 0, plain = 0, most = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&plain, cudaDevAttrMaxSharedMemoryPerBlock, device));
  CUDA_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  if (bytes > static_cast<std::size_t>(most)) {
    char text[160];
    std::snprintf(text, sizeof(text),
                  "too much shared memory for a block: %.1f KiB asked, %.1f KiB without asking for "
                  "more, %.1f KiB at most",
                  static_cast<double>(bytes) / 1024, plain / 1024.0, most / 1024.0);
    throw std::runtime_error(text);
  }
  if (bytes > static_cast<std::size_t>(plain)) {
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(bytes)));
  }
}
