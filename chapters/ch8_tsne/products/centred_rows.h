#pragma once

#include "products/means.h"

#include <cstddef>

// Centred vectors, row after row, with zeros past the last component: a place for centre_kernel()
// to store them.
struct Rows {
  float* values;
  int pitch;

  __device__ void operator()(int vector, int step, int piece, float4 x) const {
    const std::size_t at = static_cast<std::size_t>(vector) * pitch + step * kStepDepth + 4 * piece;
    *reinterpret_cast<float4*>(&values[at]) = x;
  }
};
