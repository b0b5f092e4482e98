// Stage 08: tensor cores
//
// |x - y|^2 = |x|^2 + |y|^2 - 2 x y, and x y of all pairs is a matrix times its transpose: work for
// tensor cores, as three products of TF32 numbers (chapter 6, stage 15). The difference cancels
// where x and y are near each other; so the vectors are centred first (centring.h), and what
// remains of the error is relative to |x|^2 + |y|^2, not to the distance. A distance that comes out
// below zero is zero.
//
// The kernel that centres also puts the vectors where the tensor cores want them: in tiles of 128
// vectors and 32 components, permuted, with zeros past the ends, and beside each tile that of the
// rests. So one thread has the copy engine bring whole tiles, for any sizes and either layout.
// There are as many blocks as multiprocessors; each makes many tiles of the result, and the copies
// for the next one come while it stores the last.
//
// Cost: for 32 components of 256 x 128 pairs, 64 KB of copies, and from each of two warpgroups 24
// instructions of 64 x 128 x 8 multiply-adds. Centring reads the vectors twice and writes two
// times their bytes. Compute capability 9.0 only. Next: 09_cublas.cu.

#include "centring.h"
#include "distances.h"
#include "tile_walk.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"
#include "common/error_bound.h"
#include "common/tf32.h"
#include "common/warpgroup.h"

#include <algorithm>
#include <cstddef>

constexpr int kGroupThreads = 128;
constexpr int kGroups = 2;  // that multiply; a third one copies
constexpr int kThreads = (kGroups + 1) * kGroupThreads;
constexpr int kWarps = kGroups * kGroupThreads / 32;
constexpr int kTileVectors = 128;
constexpr int kBuffers = 3;
constexpr int kBandWidth = 16;  // tiles
constexpr int kStagedCols = 64, kStagedPiece = 8;
constexpr int kMultiplierRegisters = 240, kCopierRegisters = 24;  // of 168 that all begin with

using Tile = float[kTileVectors * kStepDepth];  // permuted: see tile_offset()
struct alignas(1024) Buffer {
  Tile rows[kGroups], cols, rests_of_cols;
};
struct Shared {
  Buffer buffers[kBuffers];
  float staging[kWarps][16 * kStagedCols];
  Barrier full[kBuffers], empty[kBuffers];
};
constexpr std::size_t kSharedBytes = sizeof(Shared) + 1024;  // to begin at a multiple of 1024

// Where wgmma looks for the pieces of 16 bytes of a tile's vectors: permuted, so that pieces of
// neighbouring vectors lie in different banks.
__device__ int tile_offset(int vector, int piece) {
  return vector * kStepDepth + (piece ^ vector % 8) * 4;
}

// Centred vectors in the workspace, [tile][step], and their rests.
struct Tiles {
  Tile *values, *rests;
  int steps;

  __device__ void operator()(int vector, int step, int piece, float4 x) const {
    const std::size_t tile = static_cast<std::size_t>(vector / kTileVectors) * steps + step;
    const int offset = tile_offset(vector % kTileVectors, piece);
    *reinterpret_cast<float4*>(&values[tile][offset]) = x;
    *reinterpret_cast<float4*>(&rests[tile][offset]) =
        make_float4(tf32_rest(x.x), tf32_rest(x.y), tf32_rest(x.z), tf32_rest(x.w));
  }
};

using Walk = TileWalk<kGroups, kBandWidth>;

// The buffer whose turn it is, and how many times it has been before.
struct Turn {
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
  for (Turn turn; !walk.is_done(); walk.advance(gridDim.x)) {
#pragma unroll 1
    for (int step = 0; step < tiles.steps; ++step, turn.next()) {
      Buffer& buffer = shared.buffers[turn.buffer];
      Barrier& full = shared.full[turn.buffer];
      if (turn.round > 0) wait(shared.empty[turn.buffer], (turn.round - 1) % 2);
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

// Adds a step's products, the first kMmas times 8 of them, to a warpgroup's 64 x 128 sums:
// sums[4 j + r] is that of the warp's row lane / 4 + 8 (r / 2) and of column
// 8 j + 2 (lane % 4) + r % 2. The tensor cores add up one step only, as they do not round.
template <int kMmas>
__device__ void add_products(float (&sums)[64], const Buffer& buffer, const Tile& rows,
                             int first_row) {
  const int lane = threadIdx.x % 32;
  float of_rows[kMmas][4], rests_of_rows[kMmas][4];
#pragma unroll
  for (int i = 0; i < kMmas; ++i) {
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      const int row = first_row + lane / 4 + r % 2 * 8;
      of_rows[i][r] = rows[tile_offset(row, 2 * i + r / 2) + lane % 4];
      rests_of_rows[i][r] = tf32_rest(of_rows[i][r]);
    }
  }

  float step_sums[64];
  fence_registers_for_mma();  // the small products first
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
#pragma unroll
  for (int i = 0; i < 64; ++i) sums[i] += step_sums[i];
}

// Stores 16 rows of kStagedCols distances, where is_pair(i, j) says so. The loads come first, as a
// store might be to where the next load is from, for all that the compiler knows.
template <typename IsPair>
__device__ void store_staged(const float* staging, float* distances, int count, int first_row,
                             int first_col, const IsPair& is_pair) {
  constexpr int kRows = 8, kPieces = kStagedCols / 32;  // at a time
  const int lane = threadIdx.x % 32;
  float* to = distances + pair_index(first_row, first_col + lane, count);
#pragma unroll 1
  for (int row = 0; row < 16; row += kRows) {
    float values[kRows][kPieces];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
#pragma unroll
      for (int piece = 0; piece < kPieces; ++piece) {
        values[r][piece] =
            staging[(row + r) * kStagedCols + 32 * piece + (lane ^ r % 4 * kStagedPiece)];
      }
    }
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const int i = first_row + row + r;
#pragma unroll
      for (int piece = 0; piece < kPieces; ++piece) {
        if (is_pair(i, first_col + 32 * piece + lane)) __stcs(to + 32 * piece, values[r][piece]);
      }
      to += count - 2 - i;  // a row has one pair less than the one before
    }
  }
}

// Stores the distances of a warp's 16 rows to 128 vectors. A lane has few neighbours in a row, so
// they go through shared memory, where pieces of 8 of neighbouring rows are in different banks.
__device__ void store_distances(const float (&sums)[64], float* staging, const float* norms,
                                float* distances, int count, int first_row, int first_col) {
  const int lane = threadIdx.x % 32;
  const bool is_whole = first_row + 16 <= first_col && first_col + kTileVectors <= count;
  const float row_norms[2] = {norms[first_row + lane / 4], norms[first_row + lane / 4 + 8]};
#pragma unroll
  for (int part = 0; part < kTileVectors / kStagedCols; ++part) {
    const int part_col = first_col + part * kStagedCols;
    __syncwarp();  // below, a lane overwrites what others read
#pragma unroll
    for (int j = 0; j < kStagedCols / 8; ++j) {
      const int col = 8 * j + lane % 4 * 2;
      const float2 col_norms = *reinterpret_cast<const float2*>(&norms[part_col + col]);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = lane / 4 + 8 * half, sum = 4 * (part * kStagedCols / 8 + j) + 2 * half;
        *reinterpret_cast<float2*>(&staging[row * kStagedCols + (col ^ row % 4 * kStagedPiece)]) =
            make_float2(distance_of_product(row_norms[half] + col_norms.x, sums[sum]),
                        distance_of_product(row_norms[half] + col_norms.y, sums[sum + 1]));
      }
    }
    __syncwarp();  // below, a lane reads what others wrote
    if (is_whole) {
      store_staged(staging, distances, count, first_row, part_col, [](int, int) { return true; });
    } else {
      store_staged(staging, distances, count, first_row, part_col,
                   [&](int i, int j) { return i < j && j < count; });
    }
  }
}

__device__ void multiply_tiles(Shared& shared, const Tiles& tiles, const float* norms,
                               float* distances, int count, int dimensions, Walk walk) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int group = warp / 4, first_row = warp % 4 * 16;
  for (Turn turn; !walk.is_done(); walk.advance(gridDim.x)) {
    float sums[2][64] = {};
    for (int step = 0; step < tiles.steps; ++step, turn.next()) {
      const Buffer& buffer = shared.buffers[turn.buffer];
      wait(shared.full[turn.buffer], turn.round % 2);
      const bool is_half_enough = dimensions - step * kStepDepth <= kStepDepth / 2;
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = 64 * half + first_row;
        if (is_half_enough) {  // the last step may be
          add_products<kStepDepth / 16>(sums[half], buffer, buffer.rows[group], row);
        } else {
          add_products<kStepDepth / 8>(sums[half], buffer, buffer.rows[group], row);
        }
      }
      if (lane == 0) arrive(shared.empty[turn.buffer]);
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
      init(shared.full[i], 1);        // the thread that copies
      init(shared.empty[i], kWarps);  // a lane of each warp that multiplies
    }
    fence_for_tensor_cores();
  }
  __syncthreads();

  const Walk walk(ceil_div(count, kTileVectors), blockIdx.x);
  if (threadIdx.x / kGroupThreads == kGroups) {
    give_back_registers<kCopierRegisters>();
    if (threadIdx.x % kGroupThreads == 0) copy_tiles(shared, tiles, walk);
  } else {
    ask_for_registers<kMultiplierRegisters>();
    multiply_tiles(shared, tiles, norms, distances, count, dimensions, walk);
  }
}

std::size_t workspace_bytes(int count, int dimensions) {
  if (count < 2) return 0;
  const Centring centring(count, dimensions, nullptr);
  return centring.bytes() + 2 * centring.values_bytes();
}

void squared_distances(const Points& points, float* distances, void* workspace,
                       cudaStream_t stream) {
  require_valid(points);
  const auto [data, count, dimensions, layout] = points;
  if (count < 2) return;  // a grid has at least one block
  const Centring centring(count, dimensions, workspace);
  Tile* const values = reinterpret_cast<Tile*>(centring.behind);
  const Tiles tiles{values, values + centring.values_bytes() / sizeof(Tile), centring.steps};
  launch_centring(points, Origin::kMean, centring, tiles, stream);

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
