#pragma once

// |x - y|^2 = |x|^2 + |y|^2 - 2 x y: what the stages that make distances of products have in
// common.

#include "error_bound.h"

#include <cuda_runtime.h>

// From where vectors count: the mean of all, or where their components are zero.
enum class Origin { kMean, kZero };

// |x - y|^2 from |x|^2 + |y|^2 and x y. Not fmaxf(), which would make zero of NaN.
__device__ inline float distance_of_product(float norms, float product) {
  const float distance = fmaf(-2.0f, product, norms);
  return distance < 0 ? 0.0f : distance;
}

// The error of a distance, given that of the sum of products x_k y_k relative to the sum of their
// magnitudes. That sum is at most half of |x|^2 + |y|^2, and counts twice. Centring rounds each
// component by u of itself at most: this changes a distance by 2 u |x - y| (|x| + |y|) at most, so
// by 4 u (|x|^2 + |y|^2). Each norm and their sum are rounded by u, the distance by 2 u of that
// sum.
constexpr ErrorBound product_error_bound(double of_products, Origin origin) {
  return {of_products + 8 * 0x1p-24,
          origin == Origin::kMean ? Scale::kCentredNorms : Scale::kNorms};
}
