#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "expect_findings.h"

// The state after a finding, and findings in host code.

namespace {

class AfterwardsTest : public FindingsTest {};

__global__ void store_kernel(float* out, int index) {
  if (threadIdx.x == 5) out[index] = 0.0f;
}
constexpr int kStoreLine = __LINE__ - 2, kStoreColumn = 36;

TEST_F(AfterwardsTest, ResetMakesTheDeviceUsable) {
  DeviceBuffer<float> d_lost(1);
  store_kernel<<<1, 32>>>(d_lost.data(), 1);
  EXPECT_EQ(only_finding().kind, "out_of_bounds");
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  DeviceBuffer<float> d_values(1);
  store_kernel<<<1, 32>>>(d_values.data(), 0);
  EXPECT_EQ(d_values.to_host(), std::vector<float>{0.0f});
  expect_nothing_found();
}

__global__ void same_value_kernel(float* out) {
  out[0] = 1.0f;  // accept: race, because all lanes store the same value
  out[1] = 1.0f;
}

TEST_F(AfterwardsTest, ACommentAcceptsARaceAtItsLine) {
  setenv("CUDA_SIMULATOR_OWN_PROGRAM", "1", 1);
  DeviceBuffer<float> d_out(2);
  same_value_kernel<<<1, 32>>>(d_out.data());
  EXPECT_EQ(only_finding().places[0].line, __LINE__ - 7);
  unsetenv("CUDA_SIMULATOR_OWN_PROGRAM");
}

TEST_F(AfterwardsTest, ACommentAcceptsNothingInAnExercise) {
  DeviceBuffer<float> d_out(2);
  same_value_kernel<<<1, 32>>>(d_out.data());
  EXPECT_EQ(take_findings().size(), 2u);
}

TEST_F(AfterwardsTest, TakenFindingsAreGone) {
  DeviceBuffer<float> d_values(1);
  store_kernel<<<1, 32>>>(d_values.data(), 1);
  EXPECT_EQ(take_findings().size(), 1u);
  EXPECT_EQ(take_findings().size(), 0u);
}

TEST_F(AfterwardsTest, DescriptionIsForPeople) {
  DeviceBuffer<float> d_values(1);
  store_kernel<<<1, 32>>>(d_values.data(), 1);
  EXPECT_EQ(
      describe(only_finding()),
      "store_kernel: the kernel accesses memory at byte 4 of an allocation of 4 bytes, which is "
      "element 1 of an array of 1.\n"
      "  after_a_finding_test.cu:" +
          std::to_string(kStoreLine) + ":" + std::to_string(kStoreColumn) +
          "  store by thread (5,0,0) of block (0,0,0)\n");
}

using HostCodeDeathTest = FindingsTest;

TEST_F(HostCodeDeathTest, FollowsADevicePointer) {
  int* d_pointer = nullptr;
  CUDA_CHECK(cudaMalloc(&d_pointer, 4));
  EXPECT_EXIT(*d_pointer = 1, testing::ExitedWithCode(1),
              "host code uses a pointer to device memory");
}

TEST_F(HostCodeDeathTest, FollowsAManagedPointer) {
  int* pointer = nullptr;
  CUDA_CHECK(cudaMallocManaged(&pointer, 4));
  *pointer = 1;
  EXPECT_EQ(*pointer, 1);
}

TEST_F(HostCodeDeathTest, FindingThatIsNotTakenFailsTheProgram) {
  EXPECT_EXIT(
      {
        DeviceBuffer<float> d_values(1);
        store_kernel<<<1, 32>>>(d_values.data(), 1);
        std::exit(0);
      },
      testing::ExitedWithCode(1), "store_kernel: the kernel accesses memory at byte 4");
}

}  // namespace
