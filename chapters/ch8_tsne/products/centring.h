#pragma once

// The mean-centred vectors, for the stages that multiply matrices.
//
// |x - y|^2 = |x|^2 + |y|^2 - 2 x y is small if x and y are near each other, but it is the
// difference of large numbers, and keeps their rounding errors. A distance does not change when the
// same vector is subtracted from all vectors, and |x|^2 is smallest, on average, if that is their
// mean. (So a NaN in one vector reaches the distances of all.)

#include "products/means.h"
#include "products/product_form.h"

#include "common/ceil_div.h"

#include <cstddef>

constexpr int kPadding = 256;  // the workspace has a multiple of this number of vectors

// The number of vectors in the workspace. Those past the last vector are zeros.
constexpr int padded_vectors(int count) { return ceil_div(count, kPadding) * kPadding; }

// The results of centring in the workspace, and the memory after them.
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
