#pragma once

#include <cuda/atomic>

// The sum of all tiles before a tile, for the stages from 06 on: each tile publishes first its own
// sum, and then the sum up to it. See D. Merrill and M. Garland, Single-pass Parallel Prefix Scan
// with Decoupled Look-back, NVIDIA Technical Report NVR-2016-002.

// A status and a sum in one word, so that they arrive together and need no fence. 0: nothing yet.
using TileState = unsigned long long;
constexpr unsigned kSumOfTile = 1, kSumUpToTile = 2;

struct LookBack {
  TileState* states;  // of all tiles; 0 before the launch
  unsigned tile;

  __device__ static unsigned status_of(TileState state) {
    return static_cast<unsigned>(state >> 32);
  }
  __device__ static int sum_of(TileState state) { return static_cast<int>(state); }

  __device__ cuda::atomic_ref<TileState, cuda::thread_scope_device> state(unsigned of) const {
    return cuda::atomic_ref<TileState, cuda::thread_scope_device>(states[of]);
  }
  __device__ void publish(unsigned status, int sum) const {
    state(tile).store(TileState{status} << 32 | static_cast<unsigned>(sum),
                      cuda::memory_order_relaxed);
  }

  // Called by a whole warp: each lane waits for another one of the 32 tiles before `end`. Adds to
  // `sum` their sums, from the last one back to the first that has the sum up to it. Returns
  // whether there is such a tile.
  __device__ bool add_window(unsigned end, int& sum) const {
    const unsigned lane = threadIdx.x % 32;
    TileState found = TileState{kSumUpToTile} << 32;  // before the first tile, the sum is 0
    if (lane < end) {
      do {
        found = state(end - 1 - lane).load(cuda::memory_order_relaxed);
      } while (found == 0);
    }
    const unsigned complete = __ballot_sync(0xffffffff, status_of(found) == kSumUpToTile);
    const unsigned last = complete == 0 ? 31 : __ffs(complete) - 1;
    sum += __reduce_add_sync(0xffffffff, lane <= last ? sum_of(found) : 0);
    return complete != 0;
  }

  // Called by a whole warp: publishes the sum of the tile, and returns the sum of all tiles before.
  __device__ int sum_before(int tile_sum) const {
    const bool is_first_lane = threadIdx.x % 32 == 0;
    if (is_first_lane && tile > 0) publish(kSumOfTile, tile_sum);
    int sum = 0;
    for (unsigned end = tile; !add_window(end, sum); end -= 32) {
    }
    if (is_first_lane) publish(kSumUpToTile, sum + tile_sum);
    return sum;
  }
};
