// Stage 09: norms and products instead of differences
//
// |x - y|^2 = |x|^2 + |y|^2 - 2 x y. A first kernel computes the square of each vector, its norm,
// once. Then a component of a pair takes one instruction, a multiply-add, instead of two in stage
// 08: the arithmetic needs half the time.
//
// The formula costs digits. Its result has the rounding errors of numbers as large as |x|^2. For
// vectors that are far from the origin and close to each other, these errors can exceed the
// distance. A negative result is set to zero.
//
// Cost: the loads of stage 08, and half of its arithmetic; a kernel reads the packed vectors once
// more, for the norms. Next: products/10_centred.cu.

#include "distances.h"
#include "packed_tiles.h"
#include "products/product_tiles.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"
#include "common/error_bound.h"

#include <cstddef>

// A thread computes |x|^2 of one vector, a block those of a tile, in doubles for the long sums.
__global__ void __launch_bounds__(kTileDim)
    norms_kernel(const float* __restrict__ packed, int dimensions, float* __restrict__ norms) {
  const float* const vector = packed + blockIdx.x * tile_floats(dimensions) + threadIdx.x;
  double norm = 0;
  for (int k = 0; k < dimensions; ++k) {
    const double x = vector[k * kTileDim];
    norm += x * x;
  }
  norms[blockIdx.x * kTileDim + vector_at(threadIdx.x)] = static_cast<float>(norm);
}

template <Layout kLayout>
static void launch(const Points& points, float* distances, float* packed, cudaStream_t stream) {
  const auto [data, count, dimensions, layout] = points;
  const dim3 pack_blocks = pack_grid(count, dimensions);
  pack_kernel<kLayout><<<pack_blocks, kPackThreads, 0, stream>>>(data, count, dimensions, packed);
  CUDA_CHECK(cudaGetLastError());
  float* const norms = packed + packed_floats(count, dimensions);
  norms_kernel<<<ceil_div(count, kTileDim), kTileDim, 0, stream>>>(packed, dimensions, norms);
  CUDA_CHECK(cudaGetLastError());
  launch_products(packed, norms, count, dimensions, distances, stream);
}

void squared_distances(const Points& points, float* distances, void* workspace,
                       cudaStream_t stream) {
  require_valid(points);
  if (points.count < 2) return;  // a grid has at least one block
  float* const packed = static_cast<float*>(workspace);
  if (points.layout == Layout::kRowMajor) {
    launch<Layout::kRowMajor>(points, distances, packed, stream);
  } else {
    launch<Layout::kTransposed>(points, distances, packed, stream);
  }
}

std::size_t workspace_bytes(int count, int dimensions) {
  const int norms = ceil_div(count, kTileDim) * kTileDim;
  return (packed_floats(count, dimensions) + norms) * sizeof(float);
}
ErrorBound error_bound(int dimensions) {
  return product_error_bound(float_sum_error_bound(dimensions), Origin::kZero);
}
