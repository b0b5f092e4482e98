// Neighbours, step 02: tiled distances, one warp per list
//
// A block handles 64 vectors and loads 64 other vectors at a time. It computes 64 x 64 distances,
// and uses each component of a vector 64 times. So it loads components into shared memory, 16 at a
// time. Each thread keeps 4 x 4 distances in registers: 8 loads serve 16 pairs.
//
// Then the block stores the tile of distances in shared memory. Each warp processes some rows: 32
// lanes compare 32 distances with the last distance of the row's list. A ballot returns which are
// smaller, after some tiles almost none. All lanes insert these, one at a time: the new entry of a
// slot is the middle one of its old entry, the previous slot's entry, and the new distance.
//
// Cost: per pair of vectors and component, 2 / 64 elements are loaded from device memory, and 2 / 4
// from shared memory, four elements (16 bytes) per load.

#include "neighbours/neighbours.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kThreads = 256;
constexpr int kTile = 64;                       // vectors of a block, and others at a time
constexpr int kEach = 4;                        // a thread has kEach x kEach distances
constexpr int kSide = kTile / kEach;            // threads along a side of the tile
constexpr int kChunk = 16;                      // components at a time
constexpr int kPitch = kTile + 4;               // floats per row of a chunk: 16-byte aligned
constexpr int kRows = kTile / (kThreads / 32);  // of the tile, per warp
constexpr int kBlocksPerMultiprocessor = 3;     // as many as 80 registers allow
constexpr unsigned kAll = 0xffffffff;

// Loads a chunk of the 64 vectors from `first` on, one row per component. Elements that do not
// exist are 0, which adds nothing to a distance.
__device__ void load_chunk(const float* vectors, int count, int dimensions, int first,
                           int first_component, float (*chunk)[kPitch]) {
  const int c = threadIdx.x % kChunk, component = first_component + c;
  for (int row = threadIdx.x / kChunk; row < kTile; row += kThreads / kChunk) {
    const bool is_there = first + row < count && component < dimensions;
    const std::size_t start = static_cast<std::size_t>(first + row) * dimensions;
    chunk[c][row] = is_there ? vectors[start + component] : 0.0f;
  }
}

// A warp inserts a distance into a sorted list, after equal distances; the last entry is dropped.
__device__ void insert(float distance, int number, float* list, int* numbers, int kept) {
  for (int start = (kept - 1) / 32 * 32; start >= 0; start -= 32) {
    const int at = start + threadIdx.x % 32;
    const bool moves = at < kept && list[at] > distance;
    const float before = moves && at > 0 ? list[at - 1] : 0;
    const bool follows = before > distance;
    const float next = follows ? before : distance;
    const int next_number = follows ? numbers[at - 1] : number;
    __syncwarp();  // all lanes have read
    if (moves) {
      list[at] = next;
      numbers[at] = next_number;
    }
    __syncwarp();  // all lanes have stored
  }
}

// A warp processes a row of the tile: the distances from vector i to the vectors from `first` on.
// Inserts the distances below the bar, the last distance of i's list. Returns the new bar.
__device__ float insert_nearer(const float* row, int i, int first, int count, float* list,
                               int* numbers, int kept, float bar) {
  for (int start = 0; start < kTile; start += 32) {
    const int j = first + start + threadIdx.x % 32;
    const float distance = row[start + threadIdx.x % 32];
    unsigned nearer = __ballot_sync(kAll, j < count && j != i && distance < bar);
    for (; nearer != 0; nearer &= nearer - 1) {  // in ascending order, as ties require
      const int from = __ffs(nearer) - 1;
      const float candidate = __shfl_sync(kAll, distance, from);
      if (!(candidate < bar)) continue;  // the bar is lower by now
      insert(candidate, first + start + from, list, numbers, kept);
      bar = list[kept - 1];
    }
  }
  return bar;
}

__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    neighbours_tiled_kernel(const float* __restrict__ vectors, int* neighbours, float* distances,
                            int count, int dimensions, int kept) {
  __shared__ __align__(16) float own[kChunk][kPitch], others[kChunk][kPitch];
  __shared__ __align__(16) float tile[kTile][kTile];
  const int first_own = blockIdx.x * kTile, lane = threadIdx.x % 32;
  const int first_row = threadIdx.x / 32 * kRows;
  const int row = threadIdx.x / kSide * kEach, col = threadIdx.x % kSide * kEach;
  for (int i = first_own + first_row; i < min(count, first_own + first_row + kRows); ++i) {
    for (int k = lane; k < kept; k += 32) {
      distances[static_cast<std::size_t>(i) * kept + k] = INFINITY;
      neighbours[static_cast<std::size_t>(i) * kept + k] = -1;
    }
  }
  float bars = INFINITY;  // lane r has the last distance of the list of the warp's row r

  for (int first_other = 0; first_other < count; first_other += kTile) {
    float sums[kEach][kEach] = {};
    for (int component = 0; component < dimensions; component += kChunk) {
      __syncthreads();  // the previous chunk is used
      load_chunk(vectors, count, dimensions, first_own, component, own);
      load_chunk(vectors, count, dimensions, first_other, component, others);
      __syncthreads();  // the chunk is there
#pragma unroll
      for (int c = 0; c < kChunk; ++c) {
        const float4 a = reinterpret_cast<const float4&>(own[c][row]);
        const float4 b = reinterpret_cast<const float4&>(others[c][col]);
        const float x[kEach] = {a.x, a.y, a.z, a.w}, y[kEach] = {b.x, b.y, b.z, b.w};
#pragma unroll
        for (int m = 0; m < kEach * kEach; ++m) {
          const float difference = x[m / kEach] - y[m % kEach];
          float& sum = sums[m / kEach][m % kEach];
          sum = fmaf(difference, difference, sum);
        }
      }
    }
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
      reinterpret_cast<float4&>(tile[row + k][col]) = {sums[k][0], sums[k][1], sums[k][2],
                                                       sums[k][3]};
    }
    __syncwarp();  // the warp reads the rows of the tile that it has computed
    for (int r = 0; r < kRows; ++r) {
      const int i = first_own + first_row + r;
      if (i >= count) break;
      float* const list = distances + static_cast<std::size_t>(i) * kept;
      int* const numbers = neighbours + static_cast<std::size_t>(i) * kept;
      const float bar = insert_nearer(tile[first_row + r], i, first_other, count, list, numbers,
                                      kept, __shfl_sync(kAll, bars, r));
      if (lane == r) bars = bar;
    }
  }
}

void find_neighbours(const float* d_vectors, int* d_neighbours, float* d_distances, int count,
                     int dimensions, int kept, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(ceil_div(count, kTile));
  neighbours_tiled_kernel<<<blocks, kThreads, 0, stream>>>(d_vectors, d_neighbours, d_distances,
                                                           count, dimensions, kept);
  CUDA_CHECK(cudaGetLastError());
}
