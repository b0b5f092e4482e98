// Stage 10: centred vectors
//
// The error of stage 09 is relative to |x|^2 + |y|^2, which is large if the vectors are far from
// the origin. Distances do not change when the same vector is subtracted from all vectors, and
// |x|^2 is smallest, on average, if this vector is their mean. So one kernel computes the mean,
// component by component, and the kernel that computes the norms subtracts it first.
//
// The remaining error is relative to |x|^2 + |y|^2 of the centred vectors, not to the distance. A
// NaN in one vector reaches the distances of all.
//
// Cost: stage 09, and the packed vectors are read once more and written once more. One block sums
// each component, two warps centre the 64 vectors of a tile. Next: products/11_chunk_sums.cu.

#include "distances.h"
#include "packed_tiles.h"
#include "products/product_tiles.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"
#include "common/error_bound.h"

#include <cstddef>

constexpr int kMeanThreads = 256;

// A block computes the mean of one component. The zeros past the last vector add nothing.
__global__ void __launch_bounds__(kMeanThreads)
    means_kernel(const float* __restrict__ packed, int count, int dimensions,
                 float* __restrict__ means) {
  __shared__ double sums[kMeanThreads];
  const float* const component = packed + blockIdx.x * kTileDim + threadIdx.x % kTileDim;
  const int tiles = ceil_div(count, kTileDim);
  double sum = 0;
  for (int tile = threadIdx.x / kTileDim; tile < tiles; tile += kMeanThreads / kTileDim) {
    sum += component[tile * tile_floats(dimensions)];
  }
  sums[threadIdx.x] = sum;
  for (unsigned half = kMeanThreads / 2; half > 0; half /= 2) {
    __syncthreads();  // below, a thread reads what other threads wrote
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) means[blockIdx.x] = static_cast<float>(sums[0] / count);
}

// A thread centres a vector in place, and computes its norm.
__global__ void __launch_bounds__(kTileDim)
    centre_packed_kernel(float* packed, const float* __restrict__ means, int dimensions,
                         float* __restrict__ norms) {
  float* const vector = packed + blockIdx.x * tile_floats(dimensions) + threadIdx.x;
  double norm = 0;
  for (int k = 0; k < dimensions; ++k) {
    const float x = vector[k * kTileDim] - means[k];
    vector[k * kTileDim] = x;
    norm += static_cast<double>(x) * x;
  }
  norms[blockIdx.x * kTileDim + vector_at(threadIdx.x)] = static_cast<float>(norm);
}

// The results of the kernels in the workspace: the vectors, their norms, their mean.
struct Workspace {
  float *packed, *norms, *means;
  float* behind;

  Workspace(int count, int dimensions, void* workspace) : packed(static_cast<float*>(workspace)) {
    norms = packed + packed_floats(count, dimensions);
    means = norms + ceil_div(count, kTileDim) * kTileDim;
    behind = means + step_count(dimensions) * kDepth;
  }
};

template <Layout kLayout>
static void launch(const Points& points, float* distances, const Workspace& workspace,
                   cudaStream_t stream) {
  const auto [data, count, dimensions, layout] = points;
  const auto [packed, norms, means, behind] = workspace;
  const dim3 pack_blocks = pack_grid(count, dimensions);
  pack_kernel<kLayout><<<pack_blocks, kPackThreads, 0, stream>>>(data, count, dimensions, packed);
  CUDA_CHECK(cudaGetLastError());
  means_kernel<<<step_count(dimensions) * kDepth, kMeanThreads, 0, stream>>>(packed, count,
                                                                             dimensions, means);
  CUDA_CHECK(cudaGetLastError());
  centre_packed_kernel<<<ceil_div(count, kTileDim), kTileDim, 0, stream>>>(packed, means,
                                                                           dimensions, norms);
  CUDA_CHECK(cudaGetLastError());
  launch_products(packed, norms, count, dimensions, distances, stream);
}

void squared_distances(const Points& points, float* distances, void* workspace,
                       cudaStream_t stream) {
  require_valid(points);
  if (points.count < 2) return;  // a grid has at least one block
  const Workspace parts(points.count, points.dimensions, workspace);
  if (points.layout == Layout::kRowMajor) {
    launch<Layout::kRowMajor>(points, distances, parts, stream);
  } else {
    launch<Layout::kTransposed>(points, distances, parts, stream);
  }
}

std::size_t workspace_bytes(int count, int dimensions) {
  if (count < 2) return 0;
  const Workspace parts(count, dimensions, nullptr);
  return static_cast<std::size_t>(reinterpret_cast<char*>(parts.behind) -
                                  reinterpret_cast<char*>(parts.packed));
}
ErrorBound error_bound(int dimensions) {
  return product_error_bound(float_sum_error_bound(dimensions), Origin::kMean);
}
