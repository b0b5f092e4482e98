#pragma once

// |x - y|^2 = |x|^2 + |y|^2 - 2 x y: the common part of the stages that compute distances from
// products.

#include "error_bound.h"

#include <cuda_runtime.h>

// The origin that vectors are relative to: the mean of all, or zero.
enum class Origin { kMean, kZero };

// |x - y|^2 from |x|^2 + |y|^2 and x y. Not with fmaxf(), which would turn NaN into zero.
__device__ inline float distance_of_product(float norms, float product) {
  const float distance = fmaf(-2.0f, product, norms);
  return distance < 0 ? 0.0f : distance;
}

// The error of a distance, from the error of the sum of products x_k y_k relative to the sum of
// their magnitudes. That sum is at most half of |x|^2 + |y|^2, and counts twice. Centring rounds
// each component by at most u of itself: this changes a distance by at most 2 u |x - y| (|x| +
// |y|), so by 4 u (|x|^2 + |y|^2). Each norm and their sum are rounded by u, the distance by 2 u of
// that sum.
constexpr ErrorBound product_error_bound(double of_products, Origin origin) {
  return {of_products + 8 * 0x1p-24,
          origin == Origin::kMean ? Scale::kCentredNorms : Scale::kNorms};
}
