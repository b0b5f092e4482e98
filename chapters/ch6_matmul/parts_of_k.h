#pragma once

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <algorithm>

// The depth of the parts into which a product's k is divided if the result has `tiles` tiles: whole
// steps of `step_depth` elements. The blocks of a part compute all tiles. With the parts that are
// chosen here the busiest multiprocessor has the fewest steps, and a tenth fewer than without
// parts; otherwise there is one part. A part costs about kPartSteps steps more than its products,
// because its blocks fill their buffers and add their sums.
inline int depth_of_parts(int tiles, int k, int step_depth) {
  constexpr int kPartSteps = 4;
  int device = 0, multiprocessors = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  const int steps = ceil_div(k, step_depth);
  const auto busiest = [&](int parts) {
    return ceil_div(tiles * parts, multiprocessors) * (ceil_div(steps, parts) + kPartSteps);
  };
  int best = 1;
  for (int parts = 2; parts <= std::min(steps / kPartSteps, multiprocessors); ++parts) {
    if (busiest(parts) < busiest(best)) best = parts;
  }
  if (busiest(best) * 10 > busiest(1) * 9) best = 1;
  return ceil_div(steps, best) * step_depth;
}

// Adds to 4 floats of `c`, in one reduction of 16 bytes where the hardware has it (compute
// capability 9.0).
__device__ inline void add_to_vector(float4* sum, float4 value) {
#if __CUDA_ARCH__ >= 900
  atomicAdd(sum, value);
#else
  atomicAdd(&sum->x, value.x);
  atomicAdd(&sum->y, value.y);
  atomicAdd(&sum->z, value.z);
  atomicAdd(&sum->w, value.w);
#endif
}
