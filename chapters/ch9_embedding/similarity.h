#pragma once

#include <cuda_runtime.h>

// 1 / (1 + dx^2 + dy^2): the similarity of two points of the map, before the division by the sum
// over all pairs. The error of __fdividef is at most 2 units in the last place, up to a divisor of
// 2^126. It is one instruction if numbers below 2^-126 are flushed to 0 (nvcc's -ftz=true, which
// this chapter's CMakeLists.txt sets), and five otherwise.
__device__ inline float similarity(float dx, float dy) {
  return __fdividef(1.0f, 1.0f + dx * dx + dy * dy);
}

// A point that pushes no other point: its q is 5e-37, and q^2 is 0.
__device__ inline float2 far_away() { return {1e18f, 1e18f}; }
// A second such point, for empty slots among the others when far_away() is in empty slots among the
// own points: the q of these two is 1e-37, not 1.
__device__ inline float2 far_on_the_other_side() { return {-1e18f, -1e18f}; }
