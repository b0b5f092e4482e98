// Stage 14: ordered tiles
//
// In stage 13 each block splits and reorders its vectors j in every step, and up to 255 other
// blocks do the same with the same vectors. Here the kernel that centres does it once: it stores
// tiles of 128 vectors and 32 components in the layout of wgmma, with zeros past the ends, and next
// to each tile the tile of the residuals (tensor_tiles.h).
//
// Then a step of the vectors j is two contiguous ranges of memory, and one thread has the TMA unit
// load them; a barrier in shared memory reports their arrival (chapter 11, stage 06). The vectors i
// are loaded to registers as in stage 13, but from the ordered tiles.
//
// Cost: the products of stage 13. Per step, copies of 32 KB, and 16 loads of one float by each
// thread; no thread stores to shared memory. Twice the workspace. Compute capability 9.0 only.
// Next: products/15_bands.cu.
//
// Requires: compute capability 9.0a

#include "distances.h"
#include "products/tensor_tiles.h"
#include "tile_index.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"
#include "common/error_bound.h"
#include "common/tf32.h"
#include "common/warpgroup.h"

#include <cstddef>

constexpr int kGroupRows = 64;  // of a tile: two groups make a tile of the result
constexpr int kMmas = kStepDepth / 8;

struct alignas(1024) Buffer {
  Tile cols, rests_of_cols;
};

__global__ void __launch_bounds__(kGroupThreads)
    ordered_tiles_distances_kernel(Tiles tiles, const float* __restrict__ norms,
                                   float* __restrict__ distances, int count) {
  __shared__ Buffer buffer;
  __shared__ Barrier full;
  if (threadIdx.x == 0) {
    init(full, 1);  // one arrival: the thread that copies
    fence_for_tensor_cores();
  }
  __syncthreads();

  const auto [tile_i, tile_j] = tile_at(blockIdx.x / 2, ceil_div(count, kTileVectors));
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, group = blockIdx.x % 2;
  const int row_of_tile = group * kGroupRows + warp * 16 + lane / 4;
  const Tile* const rows = tiles.values + static_cast<std::size_t>(tile_i) * tiles.steps;
  const std::size_t first_of_cols = static_cast<std::size_t>(tile_j) * tiles.steps;

  float sums[64] = {};
  for (int step = 0; step < tiles.steps; ++step) {
    if (threadIdx.x == 0) {
      arrive_and_expect(full, sizeof(Buffer));
      start_bulk_copy(buffer.cols, tiles.values[first_of_cols + step], sizeof(Tile), full);
      start_bulk_copy(buffer.rests_of_cols, tiles.rests[first_of_cols + step], sizeof(Tile), full);
    }

    float of_rows[kMmas][4], rests_of_rows[kMmas][4];
#pragma unroll
    for (int i = 0; i < kMmas; ++i) {
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = row_of_tile + r % 2 * 8;
        of_rows[i][r] = rows[step][tile_offset(row, 2 * i + r / 2) + lane % 4];
        rests_of_rows[i][r] = tf32_rest(of_rows[i][r]);
      }
    }

    wait(full, step % 2);
    float step_sums[64];
    fence_registers_for_mma(of_rows, rests_of_rows);  // the small products first
#pragma unroll
    for (int i = 0; i < kMmas; ++i) {
      start_mma(step_sums, rests_of_rows[i], matrix_descriptor(&buffer.cols[8 * i]), i > 0);
      start_mma(step_sums, of_rows[i], matrix_descriptor(&buffer.rests_of_cols[8 * i]), true);
    }
#pragma unroll
    for (int i = 0; i < kMmas; ++i) {
      start_mma(step_sums, of_rows[i], matrix_descriptor(&buffer.cols[8 * i]), true);
    }
    wait_for_mma(step_sums);
    __syncthreads();  // the next step overwrites this one
#pragma unroll
    for (int i = 0; i < 64; ++i) sums[i] += step_sums[i];
  }

#pragma unroll
  for (int sum = 0; sum < 64; ++sum) {
    const int i = tile_i * kTileVectors + row_of_tile + sum % 4 / 2 * 8;
    const int j = tile_j * kTileVectors + sum / 4 * 8 + lane % 4 * 2 + sum % 2;
    if (i < j && j < count) {
      distances[pair_index(i, j, count)] = distance_of_product(norms[i] + norms[j], sums[sum]);
    }
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

  const dim3 grid(static_cast<unsigned>(2 * tile_count(ceil_div(count, kTileVectors))));
  ordered_tiles_distances_kernel<<<grid, kGroupThreads, 0, stream>>>(tiles, centring.norms,
                                                                     distances, count);
  CUDA_CHECK(cudaGetLastError());
}

ErrorBound error_bound(int dimensions) {
  return product_error_bound(three_tf32_error_bound(dimensions, kStepDepth), Origin::kMean);
}
