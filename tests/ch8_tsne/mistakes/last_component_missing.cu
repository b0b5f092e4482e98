// Stops one component early.
// Rejected by: MatchReferenceVectorAfterVector/n2_d1\b.*got 0
// Rejected by: AreExactForSmallWholeNumbers

#include "distances.h"
#include "error_bound.h"
#include "pair_index.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

constexpr int kThreads = 256;

template <Layout kLayout>
__global__ void distances_multiply_kernel(const float* __restrict__ data, int count, int dimensions,
                                          float* __restrict__ distances) {
  const long long index = static_cast<long long>(blockIdx.x) * kThreads + threadIdx.x;
  if (index >= pair_count(count)) return;
  const auto [i, j] = pair_at(index, count);

  float sum = 0;
  for (int k = 0; k < dimensions - 1; ++k) {
    const float difference = data[component_index<kLayout>(i, k, count, dimensions)] -
                             data[component_index<kLayout>(j, k, count, dimensions)];
    sum += difference * difference;
  }
  distances[index] = sum;
}

template <Layout kLayout>
static void launch(const Points& points, float* distances, cudaStream_t stream) {
  const std::size_t pairs = static_cast<std::size_t>(pair_count(points.count)), threads = kThreads;
  const dim3 grid(static_cast<unsigned>(ceil_div(pairs, threads)));
  distances_multiply_kernel<kLayout>
      <<<grid, kThreads, 0, stream>>>(points.data, points.count, points.dimensions, distances);
  CUDA_CHECK(cudaGetLastError());
}

void squared_distances(const Points& points, float* distances, void*, cudaStream_t stream) {
  require_valid(points);
  if (points.count < 2) return;  // a grid has at least one block
  if (points.layout == Layout::kRowMajor) {
    launch<Layout::kRowMajor>(points, distances, stream);
  } else {
    launch<Layout::kTransposed>(points, distances, stream);
  }
}

std::size_t workspace_bytes(int, int) { return 0; }
ErrorBound error_bound(int dimensions) { return direct_error_bound(dimensions); }
