// Stage 08: the next step prefetched into registers
//
// A block has two buffers. While it computes with one step, its loads of the next step into
// registers are in flight; then it stores the registers to the other buffer. One barrier per step
// remains, and only the two warps of the block wait for each other.
//
// A load of 16 bytes takes four wavefronts, but only two if pairs of consecutive lanes share
// addresses. The lanes of a warp are in such pairs. And the block stores a tile off the diagonal
// without a check of each pair.
//
// Cost: that of stage 07, with 1/2 of the barriers and 2/3 of the load wavefronts. 64 sums use 64
// registers, the floats in flight 24, and the floats of a component 16 and more. 16 warps fit on an
// SM; their many independent sums hide the latency. Next: products/09_norms.cu.

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
    distances_prefetched_kernel(const float* __restrict__ packed, int count, int dimensions,
                                float* __restrict__ distances) {
  __shared__ Buffer buffers[2];

  const auto [tile_i, tile_j] = tile_at(blockIdx.x, ceil_div(count, kTileDim));
  const int first_i = tile_i * kTileDim, first_j = tile_j * kTileDim;
  const std::size_t tile_size = tile_floats(dimensions);
  const float4* const from_i = reinterpret_cast<const float4*>(packed + tile_i * tile_size);
  const float4* const from_j = reinterpret_cast<const float4*>(packed + tile_j * tile_size);

  // A warp has 4 rows of threads. Lanes n and n ^ 1 share their column, lanes n and n ^ 2 their
  // row: such pairs halve the wavefronts of a load of 16 bytes.
  const int lane = threadIdx.x % 32;
  const int row = threadIdx.x / 32 * 4 + lane / 16 * 2 + lane % 2, col = lane / 2 % kThreadCols;

  float4 next_i[kThreadLoads], next_j[kThreadLoads];
  const auto load_next = [&](int step) {
#pragma unroll
    for (int n = 0; n < kThreadLoads; ++n) {
      next_i[n] = from_i[step * kStepLoads + n * kThreads + threadIdx.x];
      next_j[n] = from_j[step * kStepLoads + n * kThreads + threadIdx.x];
    }
  };
  const auto store_next = [&](Buffer& buffer) {
#pragma unroll
    for (int n = 0; n < kThreadLoads; ++n) {
      buffer.i[n * kThreads + threadIdx.x] = next_i[n];
      buffer.j[n * kThreads + threadIdx.x] = next_j[n];
    }
  };
  load_next(0);
  store_next(buffers[0]);
  __syncthreads();  // below, a thread reads what other threads wrote

  float sums[kRows][kCols] = {};
  const int steps = step_count(dimensions);
  for (int step = 0; step < steps; ++step) {
    load_next(min(step + 1, steps - 1));  // the last step is loaded twice and used once

    const Buffer& buffer = buffers[step % 2];
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

    store_next(buffers[(step + 1) % 2]);
    __syncthreads();  // all threads have read this buffer, and the other buffer is full
  }

  const bool is_whole = tile_i < tile_j && first_j + kTileDim <= count;
#pragma unroll
  for (int n = 0; n < kRows; ++n) {
    const int i = first_i + vector_at((row + n / 4 * kThreadRows) * 4 + n % 4);
    float* const to = distances + pair_index(i, first_j, count);
#pragma unroll
    for (int m = 0; m < kCols; ++m) {
      const int j = vector_at((col + m / 4 * kThreadCols) * 4 + m % 4);
      if (is_whole || (i < first_j + j && first_j + j < count)) to[j] = sums[n][m];
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
  distances_prefetched_kernel<<<grid, kThreads, 0, stream>>>(packed, count, dimensions, distances);
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
