// Stage 17: staged stores
//
// In the registers of a product a lane holds two adjacent elements of a row, four lanes hold eight,
// and the warp holds 8 rows. So a store of stage 16 goes to 8 rows, four elements in each. In stage
// 17 a warp first writes 64 distances of 16 rows to shared memory. Then it stores row after row, 32
// adjacent elements at a time (staged_stores.h).
//
// Whole tiles, in which all pairs exist, are stored without a check of each pair.
//
// Cost: the copies and products of stage 16. A store of a warp writes 32 adjacent elements of a
// row: 4 or 5 sectors. Each distance goes through shared memory once, without a bank conflict; this
// takes 16 KB more per block. Compute capability 9.0 only. Next: products/18_tensor_core.cu.
//
// Requires: compute capability 9.0a

#include "distances.h"
#include "products/staged_stores.h"
#include "products/tile_products.h"
#include "products/tile_walk.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"
#include "common/error_bound.h"
#include "common/warpgroup.h"

#include <cstddef>

constexpr int kGroups = 1;  // warpgroups that multiply
constexpr int kWarps = kGroups * kGroupThreads / 32;
constexpr int kBandWidth = 16;  // tiles

struct alignas(1024) Buffer {
  Tile rows, cols, rests_of_cols;
};
struct Shared {
  Buffer buffer;
  float staging[kWarps][16 * kStagedCols];
  Barrier full;
};
constexpr std::size_t kSharedBytes = sizeof(Shared) + 1024;  // to start at a multiple of 1024

using Walk = TileWalk<kGroups, kBandWidth>;

__global__ void __launch_bounds__(kGroupThreads)
    staged_stores_distances_kernel(Tiles tiles, const float* __restrict__ norms,
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
  const int warp = threadIdx.x / 32, first_row = warp * 16;
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
    store_distances(sums[half], shared.staging[warp], norms, distances, count,
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
  CUDA_CHECK(cudaFuncSetAttribute(staged_stores_distances_kernel,
                                  cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(kSharedBytes)));
  staged_stores_distances_kernel<<<grid, kGroupThreads, kSharedBytes, stream>>>(
      tiles, centring.norms, distances, count, dimensions);
  CUDA_CHECK(cudaGetLastError());
}

ErrorBound error_bound(int dimensions) {
  return product_error_bound(three_tf32_error_bound(dimensions, kStepDepth), Origin::kMean);
}
