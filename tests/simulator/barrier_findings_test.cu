#include "common/device_buffer.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <string>

#include "expect_findings.h"

// Barriers and warp functions that not all threads reach.

namespace {

class Barriers : public FindingsTest {
 protected:
  Barriers() { d_out.fill_bytes(0); }
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

// ---- Masks ----

enum class WarpFunction { syncwarp, shuffle, ballot, match, reduce };

template <WarpFunction kFunction>
__global__ void masked_kernel(unsigned mask, int* out) {
  int given = 0;
  if (kFunction == WarpFunction::syncwarp) __syncwarp(mask);
  if (kFunction == WarpFunction::shuffle) given = __shfl_xor_sync(mask, 1, 0);
  if (kFunction == WarpFunction::ballot) given = __any_sync(mask, 1);
  if (kFunction == WarpFunction::match) given = __match_any_sync(mask, 1) != 0;
  if (kFunction == WarpFunction::reduce) given = __reduce_max_sync(mask, 1);
  out[threadIdx.x] = given;
}
constexpr int kFirstMaskedLine = __LINE__ - 7;

template <WarpFunction kFunction>
void expect_own_lane_in_mask(int* d_out) {
  masked_kernel<kFunction><<<1, 20>>>(0xffffffff, d_out);  // lanes that do not exist may be named
  expect_nothing_found();
  masked_kernel<kFunction><<<1, 20>>>(0xfffeffff, d_out);
  expect_one_place("barrier", "a mask, 0xfffeffff, that does not name it",
                   kFirstMaskedLine + static_cast<int>(kFunction), "wait", {16, 0, 0});
}

TEST_F(Barriers, LaneThatItsMaskLeavesOut) {
  expect_own_lane_in_mask<WarpFunction::syncwarp>(d_out.data());
  expect_own_lane_in_mask<WarpFunction::shuffle>(d_out.data());
  expect_own_lane_in_mask<WarpFunction::ballot>(d_out.data());
  expect_own_lane_in_mask<WarpFunction::match>(d_out.data());
  expect_own_lane_in_mask<WarpFunction::reduce>(d_out.data());
}

__global__ void two_functions_kernel(unsigned of_low, unsigned of_high, int* out) {
  if (threadIdx.x % 32 < 16) {
    out[threadIdx.x] = __shfl_xor_sync(of_low, 1, 8);
  } else {
    out[threadIdx.x] = __reduce_add_sync(of_high, 1);
  }
}
constexpr int kShuffleLine = __LINE__ - 5, kReduceLine = __LINE__ - 3;

TEST_F(Barriers, TwoWarpFunctionsWithOneMask) {
  two_functions_kernel<<<1, 64>>>(0x0000ffff, 0xffff0000, d_out.data());
  expect_nothing_found();
  two_functions_kernel<<<1, 64>>>(0xffffffff, 0xffffffff, d_out.data());
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, "barrier");
  EXPECT_NE(finding.message.find("at two different warp functions"), std::string::npos);
  EXPECT_EQ(finding.count, 2u);
  ASSERT_EQ(finding.places.size(), 2u);
  expect_place(finding.places[0], kShuffleLine, "wait", {0, 0, 0}, {0, 0, 0});
  expect_place(finding.places[1], kReduceLine, "wait", {31, 0, 0}, {0, 0, 0});
}

__global__ void two_reductions_kernel(int* out) {
  out[threadIdx.x] =
      threadIdx.x < 16 ? __reduce_add_sync(0xffffffff, 1) : __reduce_max_sync(0xffffffff, 1);
}

TEST_F(Barriers, TwoReductionsWithOneMask) {
  two_reductions_kernel<<<1, 32>>>(d_out.data());
  EXPECT_EQ(only_finding().kind, "barrier");
}

// CUDA asks for the same function, not for the same call of it.
__global__ void two_calls_kernel(int* out) {
  if (threadIdx.x < 16) {
    out[threadIdx.x] = __shfl_xor_sync(0xffffffff, 1, 16);
    __syncwarp();
  } else {
    out[threadIdx.x] = __shfl_xor_sync(0xffffffff, 2, 16);
    __syncwarp();
  }
}

TEST_F(Barriers, TwoCallsOfOneWarpFunction) {
  two_calls_kernel<<<1, 32>>>(d_out.data());
  EXPECT_EQ(d_out.to_host()[0], 2);
  expect_nothing_found();
}

}  // namespace
