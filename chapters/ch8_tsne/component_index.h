#pragma once

#include "distances.h"

#include <cuda_runtime.h>

#include <cstddef>

// The index of component k of vector i in the data, for stages that accept both layouts.
template <Layout kLayout>
__host__ __device__ constexpr std::size_t component_index(int i, int k, int count, int dimensions) {
  return kLayout == Layout::kRowMajor ? static_cast<std::size_t>(i) * dimensions + k
                                      : static_cast<std::size_t>(k) * count + i;
}
