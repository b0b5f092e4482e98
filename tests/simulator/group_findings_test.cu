#include "common/device_buffer.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <string>

#include "expect_findings.h"

// What is found in kernels with cooperative groups, at the learner's line; beside each wrong kernel
// a right one.

namespace cg = cooperative_groups;

namespace {

class GroupRaces : public FindingsTest {
 protected:
  DeviceBuffer<int> d_out{64};
};
class GroupBarriers : public GroupRaces {};

enum class Between { nothing, sync, free_sync, shuffle, erased_sync, smaller_tile };

template <Between kBetween>
__global__ void exchange_kernel(int* out) {
  __shared__ int values[64];
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  values[threadIdx.x] = 1;
  if (kBetween == Between::sync) tile.sync();
  if (kBetween == Between::free_sync) cg::sync(tile);
  if (kBetween == Between::shuffle) tile.shfl(1, 0);
  if (kBetween == Between::smaller_tile) cg::tiled_partition<2>(tile).sync();
  if (kBetween == Between::erased_sync) {
    const cg::thread_group group = tile;
    group.sync();
  }
  out[threadIdx.x] = values[threadIdx.x ^ 7];
}
constexpr int kExchangeStoreLine = __LINE__ - 11, kExchangeLoadLine = __LINE__ - 2;

TEST_F(GroupRaces, WithoutSyncOfATile) {
  exchange_kernel<Between::nothing><<<1, 64>>>(d_out.data());
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, "race");
  ASSERT_EQ(finding.places.size(), 2u);
  expect_place(finding.places[0], kExchangeStoreLine, "store", {7, 0, 0}, {0, 0, 0});
  expect_place(finding.places[1], kExchangeLoadLine, "load", {0, 0, 0}, {0, 0, 0});
}

TEST_F(GroupRaces, SyncOfATileOrders) {
  exchange_kernel<Between::sync><<<1, 64>>>(d_out.data());
  exchange_kernel<Between::free_sync><<<1, 64>>>(d_out.data());
  exchange_kernel<Between::erased_sync><<<1, 64>>>(d_out.data());
  exchange_kernel<Between::shuffle><<<1, 64>>>(d_out.data());
  expect_nothing_found();
}

TEST_F(GroupRaces, SyncOfASmallerTileDoesNot) {
  exchange_kernel<Between::smaller_tile><<<1, 64>>>(d_out.data());
  EXPECT_EQ(only_finding().kind, "race");
}

__global__ void across_tiles_kernel(int* out) {
  __shared__ int values[64];
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  values[threadIdx.x] = 1;
  tile.sync();
  out[threadIdx.x] = values[threadIdx.x ^ 32];
}

TEST_F(GroupRaces, SyncOfATileDoesNotOrderTheNext) {
  across_tiles_kernel<<<1, 64>>>(d_out.data());
  EXPECT_EQ(only_finding().kind, "race");
}

template <bool kSync>
__global__ void coalesced_kernel(int* out) {
  __shared__ int values[32];
  if (threadIdx.x % 2 == 0) {
    const cg::coalesced_group group = cg::coalesced_threads();
    values[group.thread_rank()] = 1;
    if (kSync) group.sync();
    out[group.thread_rank()] = values[15 - group.thread_rank()];
  }
}

TEST_F(GroupRaces, OfCoalescedLanes) {
  coalesced_kernel<true><<<1, 32>>>(d_out.data());
  expect_nothing_found();
  coalesced_kernel<false><<<1, 32>>>(d_out.data());
  EXPECT_EQ(only_finding().kind, "race");
}

__global__ void invoke_one_kernel(int* out) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  cg::invoke_one(tile, [=] { out[0] = 1; });
}
constexpr int kInvokedLine = __LINE__ - 2;

TEST_F(GroupRaces, OfWhatOneMemberDoes) {
  invoke_one_kernel<<<1, 8>>>(d_out.data());
  expect_nothing_found();
  invoke_one_kernel<<<1, 64>>>(d_out.data());
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, "race");
  ASSERT_EQ(finding.places.size(), 2u);
  expect_place(finding.places[0], kInvokedLine, "store", {0, 0, 0}, {0, 0, 0});
  expect_place(finding.places[1], kInvokedLine, "store", {8, 0, 0}, {0, 0, 0});
}

__global__ void store_async_kernel(int* out, int index) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  cg::reduce_store_async(tile, out + index, 1, cg::plus<int>());
}
constexpr int kStoreAsyncLine = __LINE__ - 2;

TEST_F(GroupRaces, StoreOfAReductionIsTheCallers) {
  store_async_kernel<<<1, 32>>>(d_out.data(), 63);
  expect_nothing_found();
  store_async_kernel<<<1, 32>>>(d_out.data(), 64);
  expect_one_place("out_of_bounds", "element 64 of an array of 64", kStoreAsyncLine, "store");
}

// ---- Barriers ----

__global__ void divergent_block_sync_kernel(unsigned limit) {
  const cg::thread_block block = cg::this_thread_block();
  if (block.thread_rank() < limit) {
    block.sync();
  } else {
    cg::sync(block);
  }
}
constexpr int kFirstSyncLine = __LINE__ - 5, kSecondSyncLine = __LINE__ - 3;

TEST_F(GroupBarriers, SyncOfABlockInDivergentCode) {
  divergent_block_sync_kernel<<<1, 64>>>(64);
  expect_nothing_found();
  divergent_block_sync_kernel<<<1, 64>>>(40);
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, "barrier");
  ASSERT_EQ(finding.places.size(), 2u);
  EXPECT_EQ(finding.places[0].line, kFirstSyncLine);
  EXPECT_EQ(finding.places[1].line, kSecondSyncLine);
}

__global__ void early_return_kernel(unsigned limit, int* out) {
  const cg::thread_block block = cg::this_thread_block();
  if (block.thread_rank() >= limit) return;
  block.sync();
  out[threadIdx.x] = 1;
}
constexpr int kEarlyReturnLine = __LINE__ - 3;

TEST_F(GroupBarriers, SyncOfABlockAfterAnEarlyReturn) {
  early_return_kernel<<<1, 64>>>(64, d_out.data());
  expect_nothing_found();
  early_return_kernel<<<1, 64>>>(33, d_out.data());
  EXPECT_EQ(only_finding().places.at(0).line, kEarlyReturnLine);
}

template <typename Wait>
__global__ void half_waits_kernel(int* out, Wait wait) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  if (threadIdx.x < 16) {
    out[threadIdx.x] = wait(tile);
  } else {
    __syncthreads();
  }
}

using WarpTile = cg::thread_block_tile<32, cg::thread_block>;
struct Shuffle {
  __device__ int operator()(const WarpTile& tile) const { return tile.shfl_down(1, 1); }
  static constexpr int kLine = __LINE__ - 1;
};
struct Vote {
  __device__ int operator()(const WarpTile& tile) const { return tile.any(1); }
  static constexpr int kLine = __LINE__ - 1;
};
struct Reduce {
  __device__ int operator()(const WarpTile& tile) const {
    return cg::reduce(tile, 1, cg::plus<int>());
  }
  static constexpr int kLine = __LINE__ - 2;
};
struct Sync {
  __device__ int operator()(const WarpTile& tile) const {
    cg::sync(tile);
    return 1;
  }
  static constexpr int kLine = __LINE__ - 3;
};

// The place is where the learner waits, not a line of the simulator's headers.
template <typename Wait>
void expect_deadlock_at_the_wait(int* d_out) {
  half_waits_kernel<<<1, 32>>>(d_out, Wait());
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, "deadlock");
  ASSERT_FALSE(finding.places.empty());
  expect_place(finding.places[0], Wait::kLine, "wait", {0, 0, 0}, {0, 0, 0});
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
}

TEST_F(GroupBarriers, ShuffleThatHalfOfTheTileReaches) {
  expect_deadlock_at_the_wait<Shuffle>(d_out.data());
}
TEST_F(GroupBarriers, VoteThatHalfOfTheTileReaches) {
  expect_deadlock_at_the_wait<Vote>(d_out.data());
}
TEST_F(GroupBarriers, ReductionThatHalfOfTheTileReaches) {
  expect_deadlock_at_the_wait<Reduce>(d_out.data());
}
TEST_F(GroupBarriers, SyncThatHalfOfTheTileReaches) {
  expect_deadlock_at_the_wait<Sync>(d_out.data());
}

}  // namespace
