// Stage 12: one pass
//
// In stage 11 the vectors are packed and then centred in place: they are read twice and written
// twice. Here one kernel does both in registers. It loads 32 components of 32 vectors at a time,
// through a tile in shared memory, and prefetches the next ones at the same time. A thread has four
// adjacent components of a vector, eight threads have 32 components of it.
// The kernel stores into the packed tiles of stage 07. The
// next stages store elsewhere: centre_kernel.h has this
// kernel with the destination as a template parameter.
//
// Cost: instead of packing and centring in place, the vectors are read once and written once. But
// the four components of a thread are 64 floats apart in a packed tile: a store of a warp touches
// 16 sectors and writes 8 bytes to each. Next: products/13_one_warpgroup.cu.

#include "distances.h"
#include "packed_tiles.h"
#include "products/centring.h"
#include "products/product_tiles.h"

#include "common/cuda_check.h"
#include "common/error_bound.h"

#include <cstddef>

// Stores centred vectors in the order of packed_tiles.h, the inverse of vector_at(place).
struct PackedTiles {
  float* packed;
  int dimensions;

  __device__ void operator()(int vector, int step, int chunk, float4 x) const {
    const int k = step * kStepDepth + 4 * chunk;
    if (k >= step_count(dimensions) * kDepth) return;  // a multiple of four: all of them or none
    const int in_group = vector % kThreadCols * 4 + vector % kGroup / kThreadCols;
    const int place = vector % kTileDim / kGroup * kGroup + in_group;
    float* const to = packed + vector / kTileDim * tile_floats(dimensions) + k * kTileDim + place;
    const float four[] = {x.x, x.y, x.z, x.w};
    for (int n = 0; n < 4; ++n) to[n * kTileDim] = four[n];
  }
};

__global__ void __launch_bounds__(kCentringThreads)
    centre_kernel(Points points, const float* __restrict__ means, int steps, PackedTiles store,
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

void squared_distances(const Points& points, float* distances, void* workspace,
                       cudaStream_t stream) {
  require_valid(points);
  const auto [data, count, dimensions, layout] = points;
  if (count < 2) return;  // a grid has at least one block
  const Centring centring(count, step_count(dimensions) * kDepth, workspace);
  const auto [vectors, steps, chunk_sums, means, norms, behind] = centring;
  const PackedTiles store{behind, dimensions};
  launch_means(points, steps, static_cast<int>(centring.chunks()), chunk_sums, means, stream);
  centre_kernel<<<vectors / 32, kCentringThreads, 0, stream>>>(points, means, steps, store, norms);
  CUDA_CHECK(cudaGetLastError());
  launch_products(behind, norms, count, dimensions, distances, stream);
}

std::size_t workspace_bytes(int count, int dimensions) {
  if (count < 2) return 0;
  const Centring centring(count, step_count(dimensions) * kDepth, nullptr);
  return centring.bytes() + packed_floats(centring.vectors, dimensions) * sizeof(float);
}
ErrorBound error_bound(int dimensions) {
  return product_error_bound(float_sum_error_bound(dimensions), Origin::kMean);
}
