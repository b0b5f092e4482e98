#pragma once

// Distances from the library's matrix product: the common part of stages 19 and 19b.

#include "products/centred_rows.h"
#include "products/centre_kernel.h"
#include "distances.h"

#include "common/ceil_div.h"
#include "common/cublas_handle.h"
#include "common/cuda_check.h"
#include "common/error_bound.h"

#include <algorithm>
#include <cstddef>

constexpr int kThreads = 256;
constexpr int kPairsPerThread = 8;
constexpr int kBlockCols = kThreads * kPairsPerThread;

// products[i * count + j] = x_i x_j for j > i.
static __global__ void __launch_bounds__(kThreads)
    distances_of_products_kernel(const float* __restrict__ products,
                                 const float* __restrict__ norms, float* __restrict__ distances,
                                 int count) {
  const int blocks_across = ceil_div(count, kBlockCols);
  const int i = blockIdx.x / blocks_across, block_col = blockIdx.x % blocks_across * kBlockCols;
  if (block_col + kBlockCols <= i + 1) return;  // all below the diagonal
  const float* const row = products + static_cast<std::size_t>(i) * count;
  float* const distances_row = distances + pair_index(i, 0, count);
  float product[kPairsPerThread];
#pragma unroll
  for (int at = 0; at < kPairsPerThread; ++at) {
    const int j = block_col + at * kThreads + threadIdx.x;
    product[at] = i < j && j < count ? __ldcs(&row[j]) : 0.0f;
  }
#pragma unroll
  for (int at = 0; at < kPairsPerThread; ++at) {
    const int j = block_col + at * kThreads + threadIdx.x;
    if (i < j && j < count) {
      __stcs(&distances_row[j], distance_of_product(norms[i] + norms[j], product[at]));
    }
  }
}

inline std::size_t syrk_workspace_bytes(int count, int dimensions) {
  if (count < 2) return 0;
  const Centring centring(count, dimensions, nullptr);
  return centring.bytes() + centring.values_bytes() +
         static_cast<std::size_t>(count) * count * sizeof(float);
}

// Queues squared_distances(), with |x|^2 and x y of vectors relative to `origin`.
inline void launch_syrk_distances(const Points& points, Origin origin, float* distances,
                                  void* workspace, cudaStream_t stream) {
  require_valid(points);
  const auto [data, count, dimensions, layout] = points;
  if (count < 2) return;  // a grid has at least one block
  const Centring centring(count, dimensions, workspace);
  const Rows rows{centring.behind, static_cast<int>(centring.components())};
  if (origin == Origin::kMean) {
    launch_centring(points, centring, rows, stream);
  } else {  // only norms and zeros past the end: the mean is 0
    CUDA_CHECK(cudaMemsetAsync(centring.means, 0, centring.components() * sizeof(float), stream));
    centre_kernel<<<centring.vectors / 32, kCentringThreads, 0, stream>>>(
        points, centring.means, centring.steps, rows, centring.norms);
    CUDA_CHECK(cudaGetLastError());
  }

  // cuBLAS is column-major. It reads our rows as columns, so A is their transpose, and the lower
  // triangle of its C is our upper one.
  const float one = 1, zero = 0;
  float* const products = rows.values + centring.values_bytes() / sizeof(float);
  check_cublas(cublasSsyrk_64(cublas_handle(stream), CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, count,
                              dimensions, &one, rows.values, rows.pitch, &zero, products, count),
               "cublasSsyrk");
  const dim3 grid(ceil_div(count, kBlockCols) * (count - 1));
  distances_of_products_kernel<<<grid, kThreads, 0, stream>>>(products, centring.norms, distances,
                                                              count);
  CUDA_CHECK(cudaGetLastError());
}
