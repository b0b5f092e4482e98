#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// dividend / divisor, rounded up: how many tiles of size `divisor` cover `dividend` elements.
// dividend >= 0, divisor > 0, and dividend + divisor must fit the type.
__host__ __device__ constexpr int ceil_div(int dividend, int divisor) {
  return (dividend + divisor - 1) / divisor;
}

__host__ __device__ constexpr std::size_t ceil_div(std::size_t dividend, std::size_t divisor) {
  return (dividend + divisor - 1) / divisor;
}
