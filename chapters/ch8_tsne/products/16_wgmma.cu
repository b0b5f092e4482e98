// Stage 16: wgmma
//
// In stage 15 two blocks copy the same step of 128 vectors j, each for 64 vectors i. Here one block
// computes 128 x 128 pairs: a thread has two times 64 sums, and uses each copied step for two
// products (tile_products.h).
//
// The TMA unit copies the vectors i too. Their tile is like that of the vectors j, only without the
// residuals: a thread loads its part of the tile from shared memory and computes the residuals
// itself. Three tiles have 48 KB, and the barrier needs a few bytes more. So shared memory is
// dynamic, and the kernel starts at its first multiple of 1024. If half of the last step is past
// the last component, that half is left out.
//
// Cost: for 32 components of 128 x 128 pairs, 48 KB of copies and 24 instructions of 64 x 128 x 8
// multiply-adds; stage 15 copies 64 KB for them. A store of a warp goes to 8 rows, four elements in
// each: 8 to 16 sectors instead of 4. Compute capability 9.0 only. Next:
// products/17_staged_stores.cu.
//
// Requires: compute capability 9.0a

#include "distances.h"
#include "products/tile_products.h"
#include "products/tile_walk.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"
#include "common/error_bound.h"
#include "common/warpgroup.h"

#include <cstddef>

constexpr int kGroups = 1;      // warpgroups that multiply
constexpr int kBandWidth = 16;  // tiles

struct alignas(1024) Buffer {
  Tile rows, cols, rests_of_cols;
};
struct Shared {
  Buffer buffer;
  Barrier full;
};
constexpr std::size_t kSharedBytes = sizeof(Shared) + 1024;  // to start at a multiple of 1024

using Walk = TileWalk<kGroups, kBandWidth>;

// Stores the distances of a warp's 16 rows to 128 vectors.
__device__ void store_distances(const float (&sums)[64], const float* norms, float* distances,
                                int count, int first_row, int first_col) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int sum = 0; sum < 64; ++sum) {
    const int i = first_row + lane / 4 + sum % 4 / 2 * 8;
    const int j = first_col + sum / 4 * 8 + lane % 4 * 2 + sum % 2;
    if (i < j && j < count) {
      distances[pair_index(i, j, count)] = distance_of_product(norms[i] + norms[j], sums[sum]);
    }
  }
}

__global__ void __launch_bounds__(kGroupThreads)
    wgmma_distances_kernel(Tiles tiles, const float* __restrict__ norms,
                           float* __restrict__ distances, int count, int dimensions) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  const unsigned past = shared_address(shared_bytes) % 1024;
  Shared& shared = *reinterpret_cast<Shared*>(shared_bytes + (past > 0 ? 1024 - past : 0));
  if (threadIdx.x == 0) {
    init(shared.full, 1);  // one arrival: the thread that copies
    fence_for_tensor_cores();
  }
  __syncthreads();

  const Walk walk(ceil_div(count, kTileVectors), blockIdx.x);
  const int first_row = threadIdx.x / 32 * 16;
  float sums[2][64] = {};
  for (int step = 0; step < tiles.steps; ++step) {
    Buffer& buffer = shared.buffer;
    Barrier& full = shared.full;
    if (threadIdx.x == 0) {
      arrive_and_expect(full, sizeof(Buffer));
      const auto copy = [&](Tile& to, const Tile* from, int tile) {
        start_bulk_copy(to, from[static_cast<std::size_t>(tile) * tiles.steps + step], sizeof(Tile),
                        full);
      };
      copy(buffer.rows, tiles.values, walk.row());
      copy(buffer.cols, tiles.values, walk.col());
      copy(buffer.rests_of_cols, tiles.rests, walk.col());
    }
    wait(full, step % 2);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      add_products(sums[half], buffer.rows, buffer.cols, buffer.rests_of_cols,
                   64 * half + first_row, dimensions - step * kStepDepth);
    }
    __syncthreads();  // the next step overwrites this one
  }
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    store_distances(sums[half], norms, distances, count,
                    walk.row() * kTileVectors + 64 * half + first_row, walk.col() * kTileVectors);
  }
}

std::size_t workspace_bytes(int count, int dimensions) {
  return tiles_workspace_bytes(count, dimensions);
}

void squared_distances(const Points& points, float* distances, void* workspace,
                       cudaStream_t stream) {
  require_valid(points);
  const auto [data, count, dimensions, layout] = points;
  if (count < 2) return;  // a grid has at least one block
  const Centring centring(count, dimensions, workspace);
  const Tiles tiles = launch_tiles(points, centring, stream);

  const long long blocks = Walk::count(ceil_div(count, kTileVectors));
  const dim3 grid(static_cast<unsigned>(blocks));
  CUDA_CHECK(cudaFuncSetAttribute(wgmma_distances_kernel,
                                  cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(kSharedBytes)));
  wgmma_distances_kernel<<<grid, kGroupThreads, kSharedBytes, stream>>>(
      tiles, centring.norms, distances, count, dimensions);
  CUDA_CHECK(cudaGetLastError());
}

ErrorBound error_bound(int dimensions) {
  return product_error_bound(three_tf32_error_bound(dimensions, kStepDepth), Origin::kMean);
}
