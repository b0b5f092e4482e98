#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "tests/support/launch_errors.h"

#include <cuda_runtime.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "simulator/faults.h"
#include "simulator/launches.h"

// Launches that fail because a test requested it.

namespace {

__global__ void empty_kernel() {}

__global__ void count_kernel(int* count) { ++*count; }

class FailLaunch : public testing::Test {
 protected:
  void TearDown() override { cuda_simulator::fail_launch(0); }

  // The error that the launch leaves.
  cudaError_t launch() {
    count_kernel<<<1, 1>>>(count.data());
    return cudaGetLastError();
  }

  DeviceBuffer<int> count{std::vector<int>{0}};
};

TEST_F(FailLaunch, TheLaunchWithThisNumber) {
  cuda_simulator::fail_launch(2);
  EXPECT_EQ(launch(), cudaSuccess);
  EXPECT_EQ(launch(), cudaErrorLaunchOutOfResources);
  EXPECT_EQ(launch(), cudaSuccess);
  EXPECT_EQ(count.to_host(), std::vector<int>{2});
}

TEST_F(FailLaunch, NoneAfterItWasCancelled) {
  cuda_simulator::fail_launch(1);
  cuda_simulator::fail_launch(0);
  EXPECT_EQ(launch(), cudaSuccess);
  EXPECT_EQ(count.to_host(), std::vector<int>{1});
}

// The result of take_launches() after `launches` launches with the limit `limit`.
cuda_simulator::Launches launches_within(std::uint64_t limit, int launches, int blocks) {
  cuda_simulator::take_launches();
  cuda_simulator::limit_launches(limit);
  for (int i = 0; i < launches; ++i) empty_kernel<<<blocks, 32>>>();
  const cuda_simulator::Launches seen = cuda_simulator::take_launches();
  cuda_simulator::limit_launches(~std::uint64_t{0});
  return seen;
}

TEST(LimitLaunches, LaterLaunchesFailAndRunNothing) {
  testing::internal::CaptureStderr();
  const cuda_simulator::Launches seen = launches_within(3, 6, 1);
  EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchOutOfResources);
  EXPECT_EQ(seen.count, 3u);
  ASSERT_EQ(seen.refusals.size(), 1u);
  EXPECT_EQ(seen.refusals[0].text,
            "empty_kernel cannot be launched: this test has launched 3 kernels already, the last "
            "one with 1 block. Is there a launch for each element? Let each launch handle more "
            "elements.");
  EXPECT_EQ(seen.refusals[0].why, "many_launches");
  EXPECT_TRUE(seen.ran_out);
  EXPECT_FALSE(cuda_simulator::take_launches().ran_out) << "there is no limit any more";
  testing::internal::GetCapturedStderr();
}

TEST(LimitLaunches, ReportsItOnce) {
  testing::internal::CaptureStderr();
  const cuda_simulator::Launches seen = launches_within(1, 1000, 7);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  EXPECT_NE(said.find("1 kernels already, the last one with 7 blocks."), std::string::npos) << said;
  EXPECT_EQ(seen.refusals.size(), 1u);
  cudaGetLastError();
}

TEST(LimitLaunches, AsManyAsTheLimitRun) {
  const cuda_simulator::Launches seen = launches_within(3, 3, 1);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(seen.count, 3u);
  EXPECT_TRUE(seen.refusals.empty());
}

void launch_often() {
  for (int i = 0; i < 200; ++i) {
    empty_kernel<<<1, 32>>>();
    CUDA_CHECK(cudaGetLastError());
  }
}

void fail_before_a_launch() { CUDA_CHECK(cudaSetDevice(99)); }

void launch_twice() {
  for (int i = 0; i < 2; ++i) {
    empty_kernel<<<1, 32>>>();
    CUDA_CHECK(cudaGetLastError());
  }
}

TEST(ErrorOfEachLaunch, IsChecked) { expect_error_of_each_launch(launch_twice); }

TEST(ErrorOfEachLaunch, FindsTooManyLaunches) {
  EXPECT_NONFATAL_FAILURE(expect_error_of_each_launch(launch_often), "a launch for each element?");
}

TEST(ErrorOfEachLaunch, FindsAnErrorOfADifferentCall) {
  EXPECT_NONFATAL_FAILURE(expect_error_of_each_launch(fail_before_a_launch),
                          "the function threw although no launch had failed: ");
}

}  // namespace
