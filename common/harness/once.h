#pragma once

#include "common/cuda_check.h"

#include <chrono>
#include <cstddef>
#include <functional>

// Single measurements of a device, from the CPU.

// Milliseconds of one run by the CPU's clock, until the device has finished too.
inline double once_ms(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  CUDA_CHECK(cudaDeviceSynchronize());
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

// Free device memory, in bytes.
inline std::size_t free_device_bytes() {
  std::size_t free_bytes = 0, total_bytes = 0;
  CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
  return free_bytes;
}
