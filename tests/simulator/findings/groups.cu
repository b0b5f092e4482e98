#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "marked_kernels.h"

// Findings in kernels with cooperative groups, at the learner's line.

namespace cg = cooperative_groups;

namespace {

enum class Between { nothing, shuffle, sync, free_sync, erased_sync, smaller_tile };

template <Between kRight, Between kWrong>
__global__ void exchange(int* out, bool right) {
  __shared__ int values[64];
  const Between between = right ? kRight : kWrong;
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  // finds in nothing_*, shuffle: race store by 7
  // finds in smaller_tile: race
  values[threadIdx.x] = 1;
  if (between == Between::sync) tile.sync();
  if (between == Between::free_sync) cg::sync(tile);
  if (between == Between::shuffle) tile.shfl(1, 0);
  if (between == Between::smaller_tile) cg::tiled_partition<2>(tile).sync();
  if (between == Between::erased_sync) {
    const cg::thread_group group = tile;
    group.sync();
  }
  // finds in nothing_*, shuffle: race load by 0
  // finds in smaller_tile: race
  out[threadIdx.x] = values[threadIdx.x ^ 7];
}

__global__ void across_tiles(int* out, bool right) {
  __shared__ int values[64];
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  values[threadIdx.x] = 1;  // finds: race
  tile.sync();
  if (right) cg::this_thread_block().sync();
  out[threadIdx.x] = values[threadIdx.x ^ 32];  // finds: race
}

__global__ void coalesced(int* out, bool right) {
  __shared__ int values[32];
  if (threadIdx.x % 2 == 0) {
    const cg::coalesced_group group = cg::coalesced_threads();
    values[group.thread_rank()] = 1;  // finds: race
    if (right) group.sync();
    out[group.thread_rank()] = values[15 - group.thread_rank()];  // finds: race
  }
}

__global__ void invoke_one(int* out) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  cg::invoke_one(tile, [=] { out[0] = 1; });  // finds: race store by 0 and store by 8
}

__global__ void store_of_a_reduction(int* out, bool right) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  // finds: out_of_bounds store by 0
  cg::reduce_store_async(tile, out + (right ? 1023 : 1024), 1, cg::plus<int>());
}

// ---- Barriers ----

__global__ void divergent_sync(int*, bool right) {
  const cg::thread_block block = cg::this_thread_block();
  if (block.thread_rank() < (right ? 64 : 40)) {
    block.sync();  // finds: barrier
  } else {
    cg::sync(block);  // finds: barrier
  }
}

__global__ void early_return(int* out, bool right) {
  const cg::thread_block block = cg::this_thread_block();
  if (block.thread_rank() >= (right ? 64 : 33)) return;
  block.sync();  // finds: warning
  out[threadIdx.x] = 1;
}

using WarpTile = cg::thread_block_tile<32, cg::thread_block>;
struct Shuffle {
  __device__ int operator()(const WarpTile& tile) const {
    return tile.shfl_down(1, 1);  // finds in half_shuffles: deadlock wait by 0
  }
};
struct Vote {
  __device__ int operator()(const WarpTile& tile) const {
    return tile.any(1);  // finds in half_votes: deadlock wait by 0
  }
};
struct Reduce {
  __device__ int operator()(const WarpTile& tile) const {
    return cg::reduce(tile, 1, cg::plus<int>());  // finds in half_reduces: deadlock wait by 0
  }
};
struct Sync {
  __device__ int operator()(const WarpTile& tile) const {
    cg::sync(tile);  // finds in half_syncs: deadlock wait by 0
    return 1;
  }
};

// The finding is at the learner's line that waits, not in one of the simulator's headers.
template <typename Wait>
__global__ void half_waits(int* out, bool right) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  if (right || threadIdx.x < 16) {
    out[threadIdx.x] = Wait()(tile);
  } else {
    __syncthreads();  // finds in half_*: deadlock
  }
}

INSTANTIATE_TEST_SUITE_P(
    Groups, MarkedKernels,
    marked_kernels({
        {"nothing_for_sync", launch(exchange<Between::sync, Between::nothing>, 1, 64)},
        {"nothing_for_free_sync", launch(exchange<Between::free_sync, Between::nothing>, 1, 64)},
        {"nothing_for_erased", launch(exchange<Between::erased_sync, Between::nothing>, 1, 64)},
        {"shuffle", launch(exchange<Between::sync, Between::shuffle>, 1, 64)},
        {"smaller_tile", launch(exchange<Between::sync, Between::smaller_tile>, 1, 64)},
        {"across_tiles", launch(across_tiles, 1, 64)},
        {"coalesced", launch(coalesced, 1, 32)},
        {"invoke_one", [](Buffers d, bool right) { invoke_one<<<1, right ? 8 : 64>>>(d.out); }},
        {"store_of_a_reduction", launch(store_of_a_reduction, 1, 32),
         "element 1024 of an array of 1024"},
        {"divergent_sync", launch(divergent_sync, 1, 64)},
        {"early_return", launch(early_return, 1, 64)},
        {"half_shuffles", launch(half_waits<Shuffle>, 1, 32)},
        {"half_votes", launch(half_waits<Vote>, 1, 32)},
        {"half_reduces", launch(half_waits<Reduce>, 1, 32)},
        {"half_syncs", launch(half_waits<Sync>, 1, 32)},
    }),
    case_name);

}  // namespace
