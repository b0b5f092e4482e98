// Stage 07: packed tiles and 16-byte loads
//
// A packed tile can hold its vectors in any order, so every load can have 16 bytes. From global
// memory, consecutive threads load consecutive groups of four words. From shared memory, a thread
// loads four of its vectors at once: these vectors are 8 apart, and are packed in consecutive
// words.
//
// Cost: 4 loads from shared memory per 64 subtractions and 64 multiply-adds, 1/4 of stage 06's, and
// 1/4 of its loads from global memory. Next: 08_prefetched.cu.

#include "distances.h"
#include "packed_tiles.h"
#include "tile_index.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

constexpr int kThreadRows = 8;  // 8 x 8 threads, of 8 vectors i and 8 vectors j each
constexpr int kThreads = kThreadRows * kThreadCols;
constexpr int kRows = kTileDim / kThreadRows, kCols = kTileDim / kThreadCols;
constexpr int kBlocksPerSm = 8;  // leaves a thread 128 registers

constexpr int kStepLoads = kDepth * kTileDim / 4;  // of 16 bytes, for each side of the tile
constexpr int kThreadLoads = kStepLoads / kThreads;
static_assert(kThreadLoads * kThreads == kStepLoads);

struct Buffer {
  float4 i[kStepLoads], j[kStepLoads];
};

// Loads a thread's values of a component, four per load.
template <int kThreadsAlong, int kValues>
__device__ void load_part(float (&part)[kValues], const float4* component, int thread) {
#pragma unroll
  for (int n = 0; n < kValues; n += 4) {
    const float4 four = component[thread + n / 4 * kThreadsAlong];
    part[n] = four.x;
    part[n + 1] = four.y;
    part[n + 2] = four.z;
    part[n + 3] = four.w;
  }
}

__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    distances_packed_kernel(const float* __restrict__ packed, int count, int dimensions,
                            float* __restrict__ distances) {
  __shared__ Buffer buffer;

  const auto [tile_i, tile_j] = tile_at(blockIdx.x, ceil_div(count, kTileDim));
  const int first_i = tile_i * kTileDim, first_j = tile_j * kTileDim;
  const std::size_t tile_size = tile_floats(dimensions);
  const float4* const from_i = reinterpret_cast<const float4*>(packed + tile_i * tile_size);
  const float4* const from_j = reinterpret_cast<const float4*>(packed + tile_j * tile_size);

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
      load_part<kThreadRows>(part_i, buffer.i + p * kTileDim / 4, row);
      load_part<kThreadCols>(part_j, buffer.j + p * kTileDim / 4, col);
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
  distances_packed_kernel<<<grid, kThreads, 0, stream>>>(packed, count, dimensions, distances);
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
