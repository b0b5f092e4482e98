#pragma once

#include "tests/ch0_machine/whole_numbers.h"

#include "common/harness/device_info.h"

#include <cuda_runtime.h>

#include <cstddef>

// Code that the tests of functions with arrays in host memory share.

inline std::size_t free_device_bytes() {
  std::size_t free_bytes = 0, total_bytes = 0;
  CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
  return free_bytes;
}

// Fails unless call() frees what it allocates. Skips on a GPU, which other programs may use too.
template <typename Call>
void expect_freed_memory(const Call& call) {
  if (!require_device().simulated) GTEST_SKIP() << "other programs may allocate memory on this GPU";
  const std::size_t before = free_device_bytes();
  call();
  const std::size_t after = free_device_bytes();
  if (after == before) return;
  record_fact("leak=device");
  ADD_FAILURE() << before - after << " bytes of device memory were not freed";
}
