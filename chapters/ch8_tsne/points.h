#pragma once

#include "common/harness/format.h"
#include "pair_index.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <stdexcept>

enum class Layout {
  kRowMajor,    // vector after vector
  kTransposed,  // component after component
};

// `count` vectors of `dimensions` floats in device memory, aligned as cudaMalloc aligns: where they
// lie, how many and how long they are. It owns nothing.
struct Points {
  const float* data;
  int count, dimensions;
  Layout layout;
};

// Where component k of vector i lies in the data.
template <Layout kLayout>
__host__ __device__ constexpr std::size_t component_index(int i, int k, int count, int dimensions) {
  return kLayout == Layout::kRowMajor ? static_cast<std::size_t>(i) * dimensions + k
                                      : static_cast<std::size_t>(k) * count + i;
}

// 16 million: the sum of so many floats has no digit left that is certain.
constexpr int kMaxDimensions = 1 << 24;

// Throws std::invalid_argument unless the sizes are those that the stages are made for.
inline void require_valid(const Points& points) {
  if (points.count < 0 || points.count > kMaxCount || points.dimensions < 0 ||
      points.dimensions > kMaxDimensions) {
    throw std::invalid_argument(
        format("%d vectors of %d dimensions: there may be from 0 to %d vectors, of 0 to %d.",
               points.count, points.dimensions, kMaxCount, kMaxDimensions));
  }
}
