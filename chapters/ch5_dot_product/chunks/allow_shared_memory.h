#pragma once

#include "common/cuda_check.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <stdexcept>

// Lets launches of a kernel have `bytes` of dynamic shared memory per block. The default limit is
// the same on all GPUs, 48 KiB; the maximum depends on the GPU. Throws std::runtime_error, with all
// three sizes, if `bytes` is more than the maximum.
template <typename Kernel>
void allow_shared_memory(Kernel* kernel, std::size_t bytes) {
  int device = 0, plain = 0, most = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&plain, cudaDevAttrMaxSharedMemoryPerBlock, device));
  CUDA_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  if (bytes > static_cast<std::size_t>(most)) {
    char text[160];
    std::snprintf(text, sizeof(text),
                  "too much shared memory for a block: %.1f KiB requested, %.1f KiB by default, "
                  "%.1f KiB at most",
                  static_cast<double>(bytes) / 1024, plain / 1024.0, most / 1024.0);
    throw std::runtime_error(text);
  }
  if (bytes > static_cast<std::size_t>(plain)) {
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(bytes)));
  }
}
