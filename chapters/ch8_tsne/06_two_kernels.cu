// Stage 06: two kernels
//
// Up to count / 64 blocks load each vector. In stage 05 each of these blocks checks where the
// vectors end and transposes them. In stage 06 a first kernel packs all vectors in the order in
// which the blocks load them (packed_tiles.h), for both layouts, with zeros past the ends. The
// second kernel needs no guard for its loads and copies the vectors to shared memory in this order:
// consecutive lanes, consecutive words.
//
// A step has 12 components, not 32: a packed tile can be divided into steps of any size, and 300
// components are 25 steps of 12.
//
// Cost: 16 loads from shared memory per 64 subtractions and 64 multiply-adds, as in stage 05; nvcc
// joins them to 4. Packing reads and writes the vectors once. Next: 07_packed.cu.

#include "distances.h"
#include "packed_tiles.h"
#include "tile_index.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

constexpr int kThreadRows = 8;  // 8 x 8 threads, of 8 vectors i and 8 vectors j each
constexpr int kThreads = kThreadRows * kThreadCols;
constexpr int kRows = kTileDim / kThreadRows, kCols = kTileDim / kThreadCols;
constexpr int kBlocksPerSm = 8;  // leaves a thread 128 registers

constexpr int kStepLoads = kDepth * kTileDim;  // for each side of the tile
constexpr int kThreadLoads = kStepLoads / kThreads;
static_assert(kThreadLoads * kThreads == kStepLoads);

struct Buffer {
  float i[kStepLoads], j[kStepLoads];
};

__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    distances_two_kernels_kernel(const float* __restrict__ packed, int count, int dimensions,
                                 float* __restrict__ distances) {
  __shared__ Buffer buffer;

  const auto [tile_i, tile_j] = tile_at(blockIdx.x, ceil_div(count, kTileDim));
  const int first_i = tile_i * kTileDim, first_j = tile_j * kTileDim;
  const std::size_t tile_size = tile_floats(dimensions);
  const float* const from_i = packed + tile_i * tile_size;
  const float* const from_j = packed + tile_j * tile_size;

  const int row = threadIdx.x / kThreadCols, col = threadIdx.x % kThreadCols;

  float sums[kRows][kCols] = {};
  const int steps = step_count(dimensions);
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int n = 0; n < kThreadLoads; ++n) {
      const int load = n * kThreads + threadIdx.x;
      buffer.i[load] = from_i[step * kStepLoads + load];
      buffer.j[load] = from_j[step * kStepLoads + load];
    }

    __syncthreads();  // below, a thread reads what other threads wrote

#pragma unroll
    for (int p = 0; p < kDepth; ++p) {
      float part_i[kRows], part_j[kCols];
#pragma unroll
      for (int n = 0; n < kRows; ++n) {
        part_i[n] = buffer.i[p * kTileDim + (row + n / 4 * kThreadRows) * 4 + n % 4];
      }
#pragma unroll
      for (int n = 0; n < kCols; ++n) {
        part_j[n] = buffer.j[p * kTileDim + (col + n / 4 * kThreadCols) * 4 + n % 4];
      }
#pragma unroll
      for (int i = 0; i < kRows; ++i) {
#pragma unroll
        for (int j = 0; j < kCols; ++j) {
          const float difference = part_i[i] - part_j[j];
          sums[i][j] += difference * difference;
        }
      }
    }

    __syncthreads();  // the next step overwrites what other threads read
  }

#pragma unroll
  for (int n = 0; n < kRows; ++n) {
    const int i = first_i + vector_at((row + n / 4 * kThreadRows) * 4 + n % 4);
#pragma unroll
    for (int m = 0; m < kCols; ++m) {
      const int j = first_j + vector_at((col + m / 4 * kThreadCols) * 4 + m % 4);
      if (i < j && j < count) distances[pair_index(i, j, count)] = sums[n][m];
    }
  }
}

template <Layout kLayout>
static void launch(const Points& points, float* distances, float* packed, cudaStream_t stream) {
  const auto [data, count, dimensions, layout] = points;
  const dim3 pack_blocks = pack_grid(count, dimensions);
  pack_kernel<kLayout><<<pack_blocks, kPackThreads, 0, stream>>>(data, count, dimensions, packed);
  CUDA_CHECK(cudaGetLastError());
  const dim3 grid(static_cast<unsigned>(tile_count(ceil_div(count, kTileDim))));
  distances_two_kernels_kernel<<<grid, kThreads, 0, stream>>>(packed, count, dimensions, distances);
  CUDA_CHECK(cudaGetLastError());
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
  return packed_floats(count, dimensions) * sizeof(float);
}
