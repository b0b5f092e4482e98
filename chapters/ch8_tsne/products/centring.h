#pragma once

// The vectors less their mean, for the stages that multiply matrices: what these have in common.
//
// |x - y|^2 = |x|^2 + |y|^2 - 2 x y is small where x and y are near each other, and is the
// difference of numbers that are not: it keeps their rounding. A distance does not change when the
// same is taken off all vectors, and |x|^2 is smallest, on average, once that is their mean. (So a
// NaN in one vector reaches the distances of all.)

#include "products/means.h"
#include "products/product_form.h"

#include "common/ceil_div.h"

#include <cstddef>

constexpr int kPadding = 256;  // there are a multiple of as many vectors in the workspace

// Those past the last vector are zeros.
constexpr int padded_vectors(int count) { return ceil_div(count, kPadding) * kPadding; }

// What centring leaves in the workspace, and what lies behind it there.
struct Centring {
  int vectors, steps;  // padded, as above
  double* chunk_sums;  // [chunk][component]
  float* means;        // [component]
  float* norms;        // [vector]: |x|^2 of the centred vectors
  float* behind;       // 128-byte aligned

  Centring(int count, int dimensions, void* workspace)
      : vectors(padded_vectors(count)), steps(component_steps(dimensions)) {
    chunk_sums = static_cast<double*>(workspace);
    means = reinterpret_cast<float*>(chunk_sums + chunks() * components());
    norms = means + components();
    behind = norms + vectors;
  }

  std::size_t chunks() const { return static_cast<std::size_t>(vectors / kChunkVectors); }
  std::size_t components() const { return static_cast<std::size_t>(steps) * kStepDepth; }
  std::size_t values_bytes() const { return vectors * components() * sizeof(float); }
  std::size_t bytes() const {
    return chunks() * components() * sizeof(double) + (components() + vectors) * sizeof(float);
  }
};
