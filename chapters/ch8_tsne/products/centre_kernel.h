#pragma once

// The kernel of stage 12 for the later stages, which store the centred vectors elsewhere.

#include "products/centring.h"

#include "common/cuda_check.h"

#include <cstddef>

// store(vector, step, chunk, x) receives four components, from 32 * step + 4 * chunk on.
template <typename Store>
__global__ void __launch_bounds__(kCentringThreads)
    centre_kernel(Points points, const float* __restrict__ means, int steps, Store store,
                  float* __restrict__ norms) {
  __shared__ CentringTile tiles[2];
  const int v = threadIdx.x / 8, chunk = threadIdx.x % 8;
  const int first_vector = blockIdx.x * 32, vector = first_vector + v;
  TileLoad next;
  float4 next_means;
  const auto start = [&](int step) {  // overlaps the work on the previous step
    next.start(points, first_vector, step * kStepDepth);
    next_means = *reinterpret_cast<const float4*>(&means[step * kStepDepth + 4 * chunk]);
  };
  start(0);
  double norm = 0;
  for (int step = 0; step < steps; ++step) {
    CentringTile& tile = tiles[step % 2];
    next.finish(tile, points.layout);
    const float mean[4] = {next_means.x, next_means.y, next_means.z, next_means.w};
    __syncthreads();  // the tile is complete, and no thread reads the one before the last
    if (step + 1 < steps) start(step + 1);
    float x[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      x[i] = vector < points.count ? tile[v][4 * chunk + i] - mean[i] : 0;
      norm += static_cast<double>(x[i]) * x[i];
    }
    store(vector, step, chunk, make_float4(x[0], x[1], x[2], x[3]));
  }
  for (int lanes = 4; lanes > 0; lanes /= 2) norm += __shfl_xor_sync(0xffffffffu, norm, lanes);
  if (chunk == 0) norms[vector] = static_cast<float>(norm);
}

// Queues the kernels that compute the mean, and the one above. The order of the sums is fixed.
template <typename Store>
void launch_centring(const Points& points, const Centring& centring, const Store& store,
                     cudaStream_t stream) {
  const auto [vectors, steps, chunk_sums, means, norms, behind] = centring;
  launch_means(points, steps, static_cast<int>(centring.chunks()), chunk_sums, means, stream);
  centre_kernel<<<vectors / 32, kCentringThreads, 0, stream>>>(points, means, steps, store, norms);
  CUDA_CHECK(cudaGetLastError());
}
