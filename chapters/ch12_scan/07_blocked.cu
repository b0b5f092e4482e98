// Stage 07: blocked: 16 elements per thread, in 16-byte accesses
//
// A thread scans 16 adjacent elements in registers, so a tile has 16 times fewer warp and block
// scans, and 4096 elements for one look-back. But lanes that load 16 adjacent elements each would
// touch 32 sectors per access. So a warp loads its 512 elements in order, 16 bytes per lane, and
// passes them through shared memory: in order, then 16 adjacent ones per lane.
//
// The 128 vectors of a warp are stored with their numbers' lower bits changed (`place`), so that 8
// lanes that access 16 bytes each meet all 32 banks, in both orders.
//
// Cost: as in stage 06, with a quarter of the tiles. Next: 08_cub.cu.

#include "scan.h"

#include "block_scan.h"
#include "look_back.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cuda/atomic>

#include <cstddef>

constexpr unsigned kThreads = 256, kWarps = kThreads / 32;
constexpr unsigned kVectors = 4;  // of 4 elements, per thread
constexpr unsigned kWarpVectors = 32 * kVectors;
constexpr std::size_t kTileVectors = kThreads * kVectors, kTile = 4 * kTileVectors;

__device__ unsigned place(unsigned vector) { return vector ^ (vector / 8 % 4); }

// A thread's 16 adjacent elements, and a warp's vectors in shared memory.
struct Items {
  int4 vectors[kVectors];

  // Element i of `in` or `out` is the first of the warp's 512 elements.
  __device__ void load(const int* __restrict__ in, std::size_t i, std::size_t size, int4* shared) {
    const unsigned lane = threadIdx.x % 32;
    for (unsigned k = 0; k < kVectors; ++k) {
      const unsigned vector = 32 * k + lane;
      shared[place(vector)] = load_vector(in, i + 4 * vector, size);
    }
    __syncwarp();
    for (unsigned k = 0; k < kVectors; ++k) vectors[k] = shared[place(kVectors * lane + k)];
  }
  // Adds `before` to each element.
  __device__ void store(int* __restrict__ out, std::size_t i, std::size_t size, int before,
                        int4* shared) const {
    const unsigned lane = threadIdx.x % 32;
    for (unsigned k = 0; k < kVectors; ++k) {
      const int4 v = vectors[k];
      shared[place(kVectors * lane + k)] =
          make_int4(v.x + before, v.y + before, v.z + before, v.w + before);
    }
    __syncwarp();
    for (unsigned k = 0; k < kVectors; ++k) {
      const unsigned vector = 32 * k + lane;
      store_vector(out, i + 4 * vector, size, shared[place(vector)]);
    }
  }
  // Returns the sum of the elements, which become the scan of the 16.
  __device__ int scan() {
    int sum = 0;
    for (int4& v : vectors) {
      v.x = sum += v.x;
      v.y = sum += v.y;
      v.z = sum += v.z;
      v.w = sum += v.w;
    }
    return sum;
  }

 private:
  __device__ static int4 load_vector(const int* __restrict__ in, std::size_t i, std::size_t size) {
    if (i + 4 <= size) return *reinterpret_cast<const int4*>(in + i);
    const auto element = [&](std::size_t at) { return at < size ? in[at] : 0; };
    return make_int4(element(i), element(i + 1), element(i + 2), 0);
  }
  __device__ static void store_vector(int* __restrict__ out, std::size_t i, std::size_t size,
                                      int4 v) {
    if (i + 4 <= size) {
      *reinterpret_cast<int4*>(out + i) = v;
      return;
    }
    if (i < size) out[i] = v.x;
    if (i + 1 < size) out[i + 1] = v.y;
    if (i + 2 < size) out[i + 2] = v.z;
  }
};

// Eight blocks fill an SM: while some wait, others load and store.
__global__ void __launch_bounds__(kThreads, 8)
    scan_blocked_kernel(const int* __restrict__ in, int* __restrict__ out, std::size_t size,
                        unsigned* ticket, TileState* states) {
  __shared__ unsigned tile;
  __shared__ int warp_sums[kWarps], before;
  __shared__ int4 vectors[kWarps][kWarpVectors];

  if (threadIdx.x == 0) tile = atomicAdd(ticket, 1u);
  __syncthreads();
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::size_t first = tile * kTile + warp * std::size_t{4 * kWarpVectors};
  Items items;
  items.load(in, first, size, vectors[warp]);
  const int own = items.scan();
  const int up_to_thread = warp_scan(own);
  if (lane == 31) warp_sums[warp] = up_to_thread;
  __syncthreads();

  int before_warp = 0, tile_sum = 0;
  for (unsigned w = 0; w < kWarps; ++w) {
    if (w == warp) before_warp = tile_sum;
    tile_sum += warp_sums[w];
  }
  if (warp == 0) {
    const int sum_before = LookBack{states, tile}.sum_before(tile_sum);
    if (lane == 0) before = sum_before;
  }
  __syncthreads();
  items.store(out, first, size, before + before_warp + up_to_thread - own, vectors[warp]);
}

void scan(const int* d_in, int* d_out, std::size_t size, void* d_workspace, cudaStream_t stream) {
  if (size == 0) return;
  const unsigned tiles = ceil_div(size, kTile);
  TileState* const d_states = static_cast<TileState*>(d_workspace);
  unsigned* const d_ticket = reinterpret_cast<unsigned*>(d_states + tiles);
  CUDA_CHECK(cudaMemsetAsync(d_workspace, 0, tiles * sizeof(TileState) + sizeof(unsigned), stream));
  scan_blocked_kernel<<<tiles, kThreads, 0, stream>>>(d_in, d_out, size, d_ticket, d_states);
  CUDA_CHECK(cudaGetLastError());
}
