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
#include "common/cuda_check.h"

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

// store(vector, step, piece, x) gets four components, those from 32 * step + 4 * piece on.
template <typename Store>
__global__ void __launch_bounds__(kCentringThreads)
    centre_kernel(Points points, const float* __restrict__ means, int steps, Store store,
                  float* __restrict__ norms) {
  __shared__ CentringTile tiles[2];
  const int v = threadIdx.x / 8, piece = threadIdx.x % 8;
  const int first_vector = blockIdx.x * 32, vector = first_vector + v;
  TileLoad next;
  float4 next_means;
  const auto start = [&](int step) {  // while others work on the step before
    next.start(points, first_vector, step * kStepDepth);
    next_means = *reinterpret_cast<const float4*>(&means[step * kStepDepth + 4 * piece]);
  };
  start(0);
  double norm = 0;
  for (int step = 0; step < steps; ++step) {
    CentringTile& tile = tiles[step % 2];
    next.finish(tile, points.layout);
    const float mean[4] = {next_means.x, next_means.y, next_means.z, next_means.w};
    __syncthreads();  // the tile is complete, and nobody reads the one before the last
    if (step + 1 < steps) start(step + 1);
    float x[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      x[i] = vector < points.count ? tile[v][4 * piece + i] - mean[i] : 0;
      norm += static_cast<double>(x[i]) * x[i];
    }
    store(vector, step, piece, make_float4(x[0], x[1], x[2], x[3]));
  }
  for (int lanes = 4; lanes > 0; lanes /= 2) norm += __shfl_xor_sync(0xffffffffu, norm, lanes);
  if (piece == 0) norms[vector] = static_cast<float>(norm);
}

// Queues the kernels above. The sums are made in the same order every time.
template <typename Store>
void launch_centring(const Points& points, Origin origin, const Centring& centring,
                     const Store& store, cudaStream_t stream) {
  const auto [vectors, steps, chunk_sums, means, norms, behind] = centring;
  if (origin == Origin::kMean) {
    launch_means(points, steps, static_cast<int>(centring.chunks()), chunk_sums, means, stream);
  } else {
    CUDA_CHECK(cudaMemsetAsync(means, 0, centring.components() * sizeof(float), stream));
  }
  centre_kernel<<<vectors / 32, kCentringThreads, 0, stream>>>(points, means, steps, store, norms);
  CUDA_CHECK(cudaGetLastError());
}
