// Stage 11: chunk sums
//
// In stage 10 one block sums a component of all vectors, with four loads of 64 vectors in flight.
// In stage 11 many more blocks share the work: each sums 32 components of 64 vectors, a chunk, and
// a second kernel adds the sums of the chunks (means.h). A block issues all its loads before it
// waits.
//
// The blocks load the caller's vectors, in either layout, so that consecutive lanes load
// consecutive floats. A padded tile in shared memory passes them to the threads that add. The order
// of the additions does not depend on the order of the blocks, so the results are bitwise
// reproducible.
//
// Cost: stage 10, and one double for each component of each chunk, written and read. Everything
// else is stage 10. Next: products/12_one_pass.cu.

#include "distances.h"
#include "products/means.h"
#include "packed_tiles.h"
#include "products/product_tiles.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"
#include "common/error_bound.h"

#include <cstddef>

constexpr int chunk_count(int count) { return ceil_div(count, kChunkVectors); }

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

// The results of the kernels in the workspace: those of stage 10, and the sums of chunks.
struct Workspace {
  float *packed, *norms, *means;
  double *chunk_sums, *behind;

  Workspace(int count, int dimensions, void* workspace) : packed(static_cast<float*>(workspace)) {
    const std::size_t components = component_steps(dimensions) * kStepDepth;
    norms = packed + packed_floats(count, dimensions);
    means = norms + ceil_div(count, kTileDim) * kTileDim;
    chunk_sums = reinterpret_cast<double*>(means + components);
    behind = chunk_sums + chunk_count(count) * components;
  }
};

template <Layout kLayout>
static void launch(const Points& points, float* distances, const Workspace& workspace,
                   cudaStream_t stream) {
  const auto [data, count, dimensions, layout] = points;
  const auto [packed, norms, means, chunk_sums, behind] = workspace;
  const dim3 pack_blocks = pack_grid(count, dimensions);
  pack_kernel<kLayout><<<pack_blocks, kPackThreads, 0, stream>>>(data, count, dimensions, packed);
  CUDA_CHECK(cudaGetLastError());
  launch_means(points, component_steps(dimensions), chunk_count(count), chunk_sums, means, stream);
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
