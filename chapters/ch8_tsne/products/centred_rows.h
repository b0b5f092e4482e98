#pragma once

#include "products/means.h"

#include <cstddef>

// Centred vectors, row-major, with zeros past the last component: a destination for
// centre_kernel().
struct Rows {
  float* values;
  int pitch;

  __device__ void operator()(int vector, int step, int chunk, float4 x) const {
    const std::size_t at = static_cast<std::size_t>(vector) * pitch + step * kStepDepth + 4 * chunk;
    *reinterpret_cast<float4*>(&values[at]) = x;
  }
};
