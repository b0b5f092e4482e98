// Stage 06: decoupled look-back
//
// In stage 05 a tile hands on nothing before it has the sum of all tiles before it. Here a tile
// first publishes its own sum. A tile that needs the sum before it adds such sums, from the tile
// before it backwards, until one has published the sum up to it. A warp looks at 32 tiles at once.
//
// The status of a tile and its sum are one word of 8 bytes, which arrives as a whole: without an
// order between two words, relaxed atomic accesses are enough.
//
// Cost: two times `size` elements move; for each tile two words are stored and at least 32 loaded.
// Next: 07_blocked.cu.

#include "scan.h"

#include "block_scan.h"
#include "look_back.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cuda/atomic>

#include <cstddef>

constexpr std::size_t kThreads = 1024;  // and elements of a tile

__global__ void scan_look_back_kernel(const int* __restrict__ in, int* __restrict__ out,
                                      std::size_t size, unsigned* ticket, TileState* states) {
  __shared__ unsigned tile;
  __shared__ int tile_sum, before;

  if (threadIdx.x == 0) tile = atomicAdd(ticket, 1u);
  __syncthreads();
  const std::size_t i = tile * kThreads + threadIdx.x;
  const int sum = block_scan(i < size ? in[i] : 0);  // no early return: all lanes shuffle

  if (threadIdx.x == kThreads - 1) tile_sum = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    const int sum_before = LookBack{states, tile}.sum_before(tile_sum);
    if (threadIdx.x == 0) before = sum_before;
  }
  __syncthreads();
  if (i < size) out[i] = before + sum;
}

void scan(const int* d_in, int* d_out, std::size_t size, void* d_workspace, cudaStream_t stream) {
  if (size == 0) return;
  const unsigned tiles = ceil_div(size, kThreads);
  TileState* const d_states = static_cast<TileState*>(d_workspace);
  unsigned* const d_ticket = reinterpret_cast<unsigned*>(d_states + tiles);
  CUDA_CHECK(cudaMemsetAsync(d_workspace, 0, tiles * sizeof(TileState) + sizeof(unsigned), stream));
  scan_look_back_kernel<<<tiles, kThreads, 0, stream>>>(d_in, d_out, size, d_ticket, d_states);
  CUDA_CHECK(cudaGetLastError());
}
