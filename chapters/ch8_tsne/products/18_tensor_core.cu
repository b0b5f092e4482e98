// Stage 18: tensor cores kept busy
//
// A block of stage 17 waits for each copy, and copies nothing while it stores. Stage 18 has one
// block per SM, and each computes many tiles of 256 x 128 pairs. Two warpgroups multiply and store.
// One thread of a third warpgroup has the TMA unit fill three buffers: the copies for the next tile
// are in flight while the other two store the current tile. Barriers in shared memory report full
// and empty buffers (chapter 11, stage 07).
//
// Cost: for 32 components of 256 x 128 pairs, 64 KB of copies, and 24 instructions of 64 x 128 x 8
// multiply-adds from each of two warpgroups. Compute capability 9.0 only. Next:
// products/19_cublas.cu.
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

#include <algorithm>
#include <cstddef>

constexpr int kGroups = 2;  // warpgroups that multiply; a third one copies
constexpr int kThreads = (kGroups + 1) * kGroupThreads;
constexpr int kWarps = kGroups * kGroupThreads / 32;
constexpr int kBuffers = 3;
constexpr int kBandWidth = 16;                                    // tiles
constexpr int kConsumerRegisters = 240, kProducerRegisters = 24;  // each warpgroup starts with 168

struct alignas(1024) Buffer {
  Tile rows[kGroups], cols, rests_of_cols;
};
struct Shared {
  Buffer buffers[kBuffers];
  float staging[kWarps][16 * kStagedCols];
  Barrier full[kBuffers], empty[kBuffers];
};
constexpr std::size_t kSharedBytes = sizeof(Shared) + 1024;  // to start at a multiple of 1024

using Walk = TileWalk<kGroups, kBandWidth>;

// The next buffer of the ring, and the number of earlier rounds through the ring.
struct Slot {
  int buffer = 0, round = 0;
  __device__ void next() {
    if (++buffer == kBuffers) {
      buffer = 0;
      ++round;
    }
  }
};

// One thread keeps the buffers filled.
__device__ void copy_tiles(Shared& shared, const Tiles& tiles, Walk walk) {
  for (Slot slot; !walk.is_done(); walk.advance(gridDim.x)) {
#pragma unroll 1
    for (int step = 0; step < tiles.steps; ++step, slot.next()) {
      Buffer& buffer = shared.buffers[slot.buffer];
      Barrier& full = shared.full[slot.buffer];
      if (slot.round > 0) wait(shared.empty[slot.buffer], (slot.round - 1) % 2);
      arrive_and_expect(full, sizeof(Buffer));
      const auto copy = [&](Tile& to, const Tile* from, int tile) {
        start_bulk_copy(to, from[static_cast<std::size_t>(tile) * tiles.steps + step], sizeof(Tile),
                        full);
      };
      for (int group = 0; group < kGroups; ++group) {
        copy(buffer.rows[group], tiles.values, walk.row() + group);
      }
      copy(buffer.cols, tiles.values, walk.col());
      copy(buffer.rests_of_cols, tiles.rests, walk.col());
    }
  }
}

__device__ void multiply_tiles(Shared& shared, const Tiles& tiles, const float* norms,
                               float* distances, int count, int dimensions, Walk walk) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int group = warp / 4, first_row = warp % 4 * 16;
  for (Slot slot; !walk.is_done(); walk.advance(gridDim.x)) {
    float sums[2][64] = {};
    for (int step = 0; step < tiles.steps; ++step, slot.next()) {
      const Buffer& buffer = shared.buffers[slot.buffer];
      wait(shared.full[slot.buffer], slot.round % 2);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        add_products(sums[half], buffer.rows[group], buffer.cols, buffer.rests_of_cols,
                     64 * half + first_row, dimensions - step * kStepDepth);
      }
      if (lane == 0) arrive(shared.empty[slot.buffer]);
    }
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      store_distances(sums[half], shared.staging[warp], norms, distances, count,
                      (walk.row() + group) * kTileVectors + 64 * half + first_row,
                      walk.col() * kTileVectors);
    }
  }
}

__global__ void __launch_bounds__(kThreads, 1)
    tensor_core_distances_kernel(Tiles tiles, const float* __restrict__ norms,
                                 float* __restrict__ distances, int count, int dimensions) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  const unsigned past = shared_address(shared_bytes) % 1024;
  Shared& shared = *reinterpret_cast<Shared*>(shared_bytes + (past > 0 ? 1024 - past : 0));
  if (threadIdx.x == 0) {
    for (int i = 0; i < kBuffers; ++i) {
      init(shared.full[i], 1);        // one arrival: the thread that copies
      init(shared.empty[i], kWarps);  // one arrival per warp that multiplies
    }
    fence_for_tensor_cores();
  }
  __syncthreads();

  const Walk walk(ceil_div(count, kTileVectors), blockIdx.x);
  if (threadIdx.x / kGroupThreads == kGroups) {
    release_registers<kProducerRegisters>();
    if (threadIdx.x % kGroupThreads == 0) copy_tiles(shared, tiles, walk);
  } else {
    request_registers<kConsumerRegisters>();
    multiply_tiles(shared, tiles, norms, distances, count, dimensions, walk);
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

  int device = 0, multiprocessors = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  const long long blocks = Walk::count(ceil_div(count, kTileVectors));
  const dim3 grid(static_cast<unsigned>(std::min<long long>(blocks, multiprocessors)));
  CUDA_CHECK(cudaFuncSetAttribute(tensor_core_distances_kernel,
                                  cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(kSharedBytes)));
  tensor_core_distances_kernel<<<grid, kThreads, kSharedBytes, stream>>>(
      tiles, centring.norms, distances, count, dimensions);
  CUDA_CHECK(cudaGetLastError());
}

ErrorBound error_bound(int dimensions) {
  return product_error_bound(three_tf32_error_bound(dimensions, kStepDepth), Origin::kMean);
}
