#pragma once

#include <cuda_runtime.h>

// 1 / (1 + dx^2 + dy^2): how near two points of the map are, before it is divided by the sum over
// all pairs. __fdividef is off by 2 units in the last place at most, up to a divisor of 2^126. It
// is one instruction where numbers below 2^-126 count as 0 (nvcc's -ftz=true, which this chapter's
// CMakeLists.txt sets), and five where they do not.
__device__ inline float similarity(float dx, float dy) {
  return __fdividef(1.0f, 1.0f + dx * dx + dy * dy);
}

// A point that pushes no other: its q is 5e-37, and q^2 is 0.
__device__ inline float2 far_away() { return {1e18f, 1e18f}; }
// For a place without an other point, where such a point meets the one above: its q with that one
// is 1e-37, and not 1.
__device__ inline float2 far_on_the_other_side() { return {-1e18f, -1e18f}; }
