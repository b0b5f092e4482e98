#include "common/device_buffer.h"

#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "expect_findings.h"

// What is found in cooperative launches; beside each wrong kernel a right one.

namespace cg = cooperative_groups;

namespace {

class CooperativeFindings : public FindingsTest {
 protected:
  template <typename... Parameters>
  void launch(void (*kernel)(int*, Parameters...), int blocks, Parameters... parameters) {
    int* out = d_out.data();
    void* arguments[] = {&out, &parameters...};
    EXPECT_EQ(cudaLaunchCooperativeKernel(kernel, dim3(blocks), dim3(32), arguments), cudaSuccess);
  }
  DeviceBuffer<int> d_out{128};
};

template <bool kSync>
__global__ void exchange_kernel(int* out) {
  const cg::grid_group grid = cg::this_grid();
  const auto i = static_cast<unsigned>(grid.thread_rank());
  out[i] = 1;
  if (kSync) grid.sync();
  const int others = out[i ^ 32];
  grid.sync();
  out[i] = others;
}
constexpr int kExchangeStoreLine = __LINE__ - 6, kExchangeLoadLine = __LINE__ - 4;

TEST_F(CooperativeFindings, OnlyTheSyncOrdersBlocks) {
  launch(exchange_kernel<true>, 4);
  expect_nothing_found();
  launch(exchange_kernel<false>, 4);
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, "race");
  ASSERT_EQ(finding.places.size(), 2u);
  expect_place(finding.places[0], kExchangeStoreLine, "store", {0, 0, 0}, {1, 0, 0});
  expect_place(finding.places[1], kExchangeLoadLine, "load", {0, 0, 0}, {0, 0, 0});
}

// After a sync too, and by the numbers of the blocks that went on.
__global__ void later_race_kernel(int* out) {
  cg::this_grid().sync();
  out[threadIdx.x + (blockIdx.x == 3 ? 64 : 32 * blockIdx.x)] = 1;
}
constexpr int kLaterStoreLine = __LINE__ - 2;

TEST_F(CooperativeFindings, RaceAfterASync) {
  launch(later_race_kernel, 3);
  expect_nothing_found();
  launch(later_race_kernel, 4);
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, "race");
  ASSERT_EQ(finding.places.size(), 2u);
  expect_place(finding.places[0], kLaterStoreLine, "store", {0, 0, 0}, {2, 0, 0});
  expect_place(finding.places[1], kLaterStoreLine, "store", {0, 0, 0}, {3, 0, 0});
}

// Shared memory is each block's own: what another one wrote at the same place is not written here.
__global__ void uninitialised_kernel(int* out, unsigned writers) {
  __shared__ int value;
  if (threadIdx.x == 0 && blockIdx.x < writers) value = 1;
  cg::this_grid().sync();
  if (threadIdx.x == 5) out[blockIdx.x] = value;
  cg::this_grid().sync();
}
constexpr int kSharedLoadLine = __LINE__ - 3;

TEST_F(CooperativeFindings, SharedMemoryThatOnlyOtherBlocksWrote) {
  launch(uninitialised_kernel, 3, 3u);
  expect_nothing_found();
  launch(uninitialised_kernel, 3, 2u);
  expect_one_place("uninitialised", "value in shared memory", kSharedLoadLine, "load", {5, 0, 0},
                   {2, 0, 0});
}

__global__ void out_of_bounds_kernel(int* out, unsigned stride) {
  const cg::grid_group grid = cg::this_grid();
  grid.sync();
  grid.sync();
  out[blockIdx.x * stride + threadIdx.x] = 1;
}
constexpr int kOutOfBoundsLine = __LINE__ - 2;

TEST_F(CooperativeFindings, OutOfBoundsAfterASync) {
  launch(out_of_bounds_kernel, 4, 32u);
  expect_nothing_found();
  launch(out_of_bounds_kernel, 4, 33u);
  expect_one_place("out_of_bounds", "element 128 of an array of 128", kOutOfBoundsLine, "store",
                   {29, 0, 0}, {3, 0, 0});
  expect_device_lost(cudaErrorIllegalAddress);
}

__global__ void missing_block_kernel(int* out, unsigned last) {
  if (blockIdx.x > last) return;
  cg::this_grid().sync();
  out[blockIdx.x * 32 + threadIdx.x] = 1;
}
constexpr int kMissingSyncLine = __LINE__ - 3;

TEST_F(CooperativeFindings, SyncThatABlockDoesNotReach) {
  launch(missing_block_kernel, 3, 2u);
  expect_nothing_found();
  launch(missing_block_kernel, 3, 1u);
  expect_one_place("deadlock", "only 2 of 3 blocks reach", kMissingSyncLine, "wait");
  expect_device_lost(cudaErrorLaunchTimeout);
}

__global__ void missing_thread_kernel(int* out, unsigned threads) {
  if (threadIdx.x >= threads) return;
  cg::this_grid().sync();
  out[blockIdx.x * 32 + threadIdx.x] = 1;
}
constexpr int kMissingThreadLine = __LINE__ - 3;

TEST_F(CooperativeFindings, SyncThatSomeThreadsDoNotReach) {
  launch(missing_thread_kernel, 2, 32u);
  expect_nothing_found();
  launch(missing_thread_kernel, 2, 20u);
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, "barrier");
  EXPECT_NE(
      finding.message.find("only 20 of 32 threads of the block reach this sync() of the grid"),
      std::string::npos)
      << finding.message;
  EXPECT_EQ(finding.count, 2u);  // in each block
  ASSERT_EQ(finding.places.size(), 1u);
  EXPECT_EQ(finding.places[0].line, kMissingThreadLine);
}

__global__ void deadlock_kernel(int* out, unsigned limit) {
  if (threadIdx.x < limit) {
    cg::this_grid().sync();
  } else {
    __syncwarp();
  }
  out[blockIdx.x * 32 + threadIdx.x] = 1;
}
constexpr int kDeadlockSyncLine = __LINE__ - 6;

TEST_F(CooperativeFindings, SyncWhileLanesWaitForEachOther) {
  launch(deadlock_kernel, 2, 32u);
  expect_nothing_found();
  launch(deadlock_kernel, 2, 16u);
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, "deadlock");
  ASSERT_EQ(finding.places.size(), 2u);
  EXPECT_EQ(finding.places[0].line, kDeadlockSyncLine);
}

}  // namespace
