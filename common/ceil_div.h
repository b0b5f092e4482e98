#pragma once

#include <cuda_runtime.h>

// dividend / divisor, rounded up: how many tiles of size `divisor` cover `dividend` elements. Both
// are integers; dividend >= 0, divisor > 0, and dividend + divisor must fit the wider of their
// types.
template <typename Dividend, typename Divisor>
__host__ __device__ constexpr auto ceil_div(Dividend dividend, Divisor divisor) {
  return (dividend + divisor - 1) / divisor;
}
