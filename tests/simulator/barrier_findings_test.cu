#include "common/device_buffer.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <string>

#include "expect_findings.h"

// Barriers and warp functions that not all threads reach.

namespace {

class Barriers : public FindingsTest {
 protected:
  DeviceBuffer<int> d_out{128};
};

__global__ void early_return_kernel(int* out, int size) {
  const int i = static_cast<int>(threadIdx.x);
  if (i >= size) return;
  __syncthreads();
  out[i] = i;
}
constexpr int kEarlyReturnLine = __LINE__ - 3;

TEST_F(Barriers, EarlyReturn) {
  early_return_kernel<<<1, 64>>>(d_out.data(), 64);
  expect_nothing_found();
  early_return_kernel<<<1, 64>>>(d_out.data(), 40);
  expect_one_place("barrier", "only 40 of 64 threads of the block reach this __syncthreads()",
                   kEarlyReturnLine, "wait");
}

TEST_F(Barriers, EarlyReturnOfWholeBlocksIsRight) {
  early_return_kernel<<<3, 64>>>(d_out.data(), 0);
  expect_nothing_found();
}

__global__ void barrier_in_if_kernel(int* out, int limit) {
  if (static_cast<int>(threadIdx.x) < limit) {
    __syncthreads();
  }
  out[threadIdx.x] = 1;
}
constexpr int kBarrierInIfLine = __LINE__ - 4;

TEST_F(Barriers, InAnIf) {
  barrier_in_if_kernel<<<1, 64>>>(d_out.data(), 64);
  expect_nothing_found();
  barrier_in_if_kernel<<<1, 64>>>(d_out.data(), 1);
  expect_one_place("barrier", "only 1 of 64 threads of the block reach this __syncthreads()",
                   kBarrierInIfLine, "wait");
}

__global__ void two_barriers_in_branches_kernel(int* out, unsigned limit) {
  if (threadIdx.x < limit) {
    __syncthreads();
  } else {
    __syncthreads();
  }
  out[threadIdx.x] = 1;
}
constexpr int kFirstBranchLine = __LINE__ - 6, kSecondBranchLine = __LINE__ - 4;

TEST_F(Barriers, TwoDifferentOnes) {
  two_barriers_in_branches_kernel<<<1, 64>>>(d_out.data(), 64);
  expect_nothing_found();
  two_barriers_in_branches_kernel<<<1, 64>>>(d_out.data(), 32);
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, "barrier");
  EXPECT_NE(finding.message.find("wait at two different __syncthreads()"), std::string::npos)
      << finding.message;
  ASSERT_EQ(finding.places.size(), 2u);
  expect_place(finding.places[0], kFirstBranchLine, "wait", {0, 0, 0}, {0, 0, 0});
  expect_place(finding.places[1], kSecondBranchLine, "wait", {63, 0, 0}, {0, 0, 0});
}

__global__ void barrier_in_uniform_loop_kernel(int* out, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    if (i % 2 == 0) __syncthreads();
  }
  out[threadIdx.x] = rounds;
}

TEST_F(Barriers, InAnIfThatAllTake) {
  barrier_in_uniform_loop_kernel<<<1, 100>>>(d_out.data(), 9);
  expect_nothing_found();
}

__global__ void barrier_against_syncwarp_kernel(int* out, unsigned limit) {
  if (threadIdx.x < limit) {
    __syncthreads();
  } else {
    __syncwarp();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
constexpr int kDeadlockBarrierLine = __LINE__ - 6, kDeadlockSyncwarpLine = __LINE__ - 4;

TEST_F(Barriers, Deadlock) {
  barrier_against_syncwarp_kernel<<<2, 32>>>(d_out.data(), 32);
  expect_nothing_found();
  barrier_against_syncwarp_kernel<<<2, 32>>>(d_out.data(), 16);
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, "deadlock");
  EXPECT_NE(finding.message.find("no thread of the block can go on"), std::string::npos)
      << finding.message;
  ASSERT_EQ(finding.places.size(), 2u);
  expect_place(finding.places[0], kDeadlockBarrierLine, "wait", {0, 0, 0}, {0, 0, 0});
  expect_place(finding.places[1], kDeadlockSyncwarpLine, "wait", {16, 0, 0}, {0, 0, 0});
  expect_device_lost(cudaErrorLaunchTimeout);
}

__global__ void shuffle_of_absent_lanes_kernel(int* out, unsigned limit) {
  if (threadIdx.x < limit)
    out[threadIdx.x] = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x), 0);
  __syncthreads();
}
constexpr int kAbsentLanesLine = __LINE__ - 3;

TEST_F(Barriers, ShuffleThatNotAllLanesOfItsMaskReach) {
  shuffle_of_absent_lanes_kernel<<<1, 32>>>(d_out.data(), 32);
  expect_nothing_found();
  shuffle_of_absent_lanes_kernel<<<1, 32>>>(d_out.data(), 8);
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, "deadlock");
  ASSERT_EQ(finding.places.size(), 2u);
  EXPECT_EQ(finding.places[0].line, kAbsentLanesLine);
  EXPECT_EQ(finding.places[1].line, kAbsentLanesLine + 1);
}

}  // namespace
