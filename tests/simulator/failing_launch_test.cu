#include "common/device_buffer.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <vector>

#include "simulator/faults.h"

// Launches that fail because a test has asked for it.

namespace {

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

TEST_F(FailLaunch, TheOneWithThisNumber) {
  cuda_simulator::fail_launch(2);
  EXPECT_EQ(launch(), cudaSuccess);
  EXPECT_EQ(launch(), cudaErrorLaunchOutOfResources);
  EXPECT_EQ(launch(), cudaSuccess);
  EXPECT_EQ(count.to_host(), std::vector<int>{2});
}

TEST_F(FailLaunch, NoneAfterItWasTakenBack) {
  cuda_simulator::fail_launch(1);
  cuda_simulator::fail_launch(0);
  EXPECT_EQ(launch(), cudaSuccess);
  EXPECT_EQ(count.to_host(), std::vector<int>{1});
}

}  // namespace
