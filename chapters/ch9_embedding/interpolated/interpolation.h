#pragma once

#include <cuda_runtime.h>

// A square grid over the map, and polynomials between its nodes.

constexpr int kNodes = 512;             // along a side of the grid
constexpr int kPeriod = 2 * kNodes;     // of the transforms: offsets in both directions
constexpr int kHalf = kPeriod / 2 + 1;  // elements that a transform of real numbers keeps per row
constexpr int kStencil = 4;             // nodes around a point, in x and in y

// The distance between adjacent nodes, if all coordinates are from -extent to extent.
__device__ inline float spacing_of(float extent) { return 2 * extent / (kNodes - kStencil); }

// The four nodes around a coordinate, and their weights: the value of the polynomial of degree 3
// through four values is the sum of weight times value.
struct Stencil {
  int first;
  float weights[kStencil];
};
__device__ inline Stencil stencil_of(float coordinate, float extent) {
  const float position = 1 + (coordinate + extent) / spacing_of(extent);
  // From 1 to kNodes - 3, even if the position is NaN.
  const int node = min(max(static_cast<int>(position), 1), kNodes - 3);
  const float t = position - static_cast<float>(node);  // 0 at that node, 1 at the next one
  return {node - 1,
          {-t * (t - 1) * (t - 2) / 6, (t + 1) * (t - 1) * (t - 2) / 2, -(t + 1) * t * (t - 2) / 2,
           (t + 1) * t * (t - 1) / 6}};
}

// The q of a point with itself, as the grid represents it: the sum over all pairs of its nodes.
__device__ inline float own_similarity(const Stencil& x, const Stencil& y, float spacing) {
  float sum = 0;
#pragma unroll
  for (int dx = 0; dx < kStencil; ++dx) {
#pragma unroll
    for (int dy = 0; dy < kStencil; ++dy) {
      float of_x = 0, of_y = 0;  // weights of the pairs of nodes that are dx, or dy, apart
#pragma unroll
      for (int a = 0; a + dx < kStencil; ++a) of_x += x.weights[a] * x.weights[a + dx];
#pragma unroll
      for (int b = 0; b + dy < kStencil; ++b) of_y += y.weights[b] * y.weights[b + dy];
      const int orders = (dx > 0 ? 2 : 1) * (dy > 0 ? 2 : 1);
      const float squared = static_cast<float>(dx * dx + dy * dy) * spacing * spacing;
      sum += orders * of_x * of_y / (1 + squared);
    }
  }
  return sum;
}
