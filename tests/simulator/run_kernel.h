#pragma once

#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

// The `size` elements of device memory after `launch`; before, each byte is 0xff.
template <typename T, typename Launch>
std::vector<T> output_of(std::size_t size, Launch launch) {
  DeviceBuffer<T> d_out(size);
  d_out.fill_bytes(0xff);
  launch(d_out.data());
  CUDA_CHECK(cudaGetLastError());
  return d_out.to_host();
}

// element(0), element(1), ...
template <typename T, typename Function>
std::vector<T> generated(std::size_t size, Function element) {
  std::vector<T> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<T>(element(static_cast<int>(i)));
  return values;
}
