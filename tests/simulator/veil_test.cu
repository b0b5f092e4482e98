#include "tests/simulator/hidden_accesses.h"
#include "tests/simulator/run_kernel.h"
#include "tests/support/device_test.h"

#include "simulator/findings.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

// CUDA_SIMULATOR_VEIL=1: accesses that are not traced load garbage, and what they store is lost.

namespace {

constexpr int kThreads = 64;
constexpr float kStored = 7.0f;

class Veil : public DeviceTest {
 protected:
  // The elements that a kernel has written, and whether it stored something that is not recorded.
  template <typename Kernel, typename... Arguments>
  std::vector<float> run(Kernel kernel, Arguments... arguments) {
    const auto out = output_of<float>(
        kThreads, [&](float* d_out) { kernel<<<1, kThreads>>>(d_out, arguments...); });
    stores_hidden_ = false;
    for (const auto& finding : cuda_simulator::take_findings()) {
      EXPECT_EQ(finding.kind, cuda_simulator::finding_kind::kUnrecorded);
      stores_hidden_ = true;
    }
    return out;
  }
  // How many elements have this value.
  static int count_of(float value, const std::vector<float>& elements) {
    int count = 0;
    for (const float element : elements) count += element == value;
    return count;
  }

  bool stores_hidden_ = false;
};

__device__ float variable = kStored;
float host_variable = kStored;
__constant__ float constant = kStored;

__global__ void traced_kernel(float* out, const float* variable_of_host) {
  __shared__ float tile[kThreads];
  float mine[2] = {kStored, 1.0f};
  tile[threadIdx.x] = mine[threadIdx.x % 2] * variable * constant;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x ^ 1] == *variable_of_host ? 1.0f : 0.0f;
  out[threadIdx.x] += mine[0];
}

TEST_F(Veil, ChangesNothingForTracedAccesses) {
  DeviceBuffer<float> d_compared(std::vector<float>{kStored * kStored});
  const auto out = run(traced_kernel, static_cast<const float*>(d_compared.data()));
  EXPECT_EQ(count_of(kStored + 1, out), kThreads / 2);
  EXPECT_EQ(count_of(kStored, out), kThreads / 2);
  EXPECT_FALSE(stores_hidden_);
}

__global__ void load_kernel(float* out, const float* from) { out[threadIdx.x] = hidden_load(from); }

TEST_F(Veil, HidesAllocationsVariablesAndTheFramesOfTheHost) {
  const float local = kStored;
  DeviceBuffer<float> d_in(std::vector<float>{kStored});
  for (const float* const hidden :
       {static_cast<const float*>(d_in.data()), static_cast<const float*>(&variable),
        static_cast<const float*>(&host_variable), static_cast<const float*>(&constant), &local}) {
    EXPECT_EQ(count_of(kStored, run(load_kernel, hidden)), 0);
    EXPECT_FALSE(stores_hidden_);
    EXPECT_EQ(host_variable + local, 2 * kStored);
  }
}

__global__ void store_kernel(float* out, float* to) {
  out[threadIdx.x] = 1.0f;
  hidden_store(to, kStored);
}

TEST_F(Veil, StoresAreLostAndFound) {
  float local = 1.0f;
  host_variable = 1.0f;
  DeviceBuffer<float> d_stored(std::vector<float>{1.0f});
  for (float* const hidden : {d_stored.data(), &host_variable, &local}) {
    EXPECT_EQ(count_of(1.0f, run(store_kernel, hidden)), kThreads);
    EXPECT_TRUE(stores_hidden_);
  }
  EXPECT_EQ(d_stored.to_host(), std::vector<float>{1.0f});
  EXPECT_EQ(host_variable + local, 2.0f);
  host_variable = kStored;
}

__global__ void shared_kernel(float* out, bool stores) {
  __shared__ float tile[kThreads];
  if (stores) {
    hidden_store(&tile[threadIdx.x], kStored);
  } else {
    tile[threadIdx.x] = kStored;
  }
  __syncthreads();
  out[threadIdx.x] = hidden_load(&tile[threadIdx.x ^ 1]);
}

TEST_F(Veil, HidesSharedMemory) {
  EXPECT_EQ(count_of(kStored, run(shared_kernel, false)), 0);
  EXPECT_FALSE(stores_hidden_);
  run(shared_kernel, true);
  EXPECT_TRUE(stores_hidden_);
}

// The load shows the element, which could then be stored without an announcement.
__global__ void window_kernel(float* out, float* element) {
  const float loaded = *element;
  hidden_store(element, loaded + 1);
  out[threadIdx.x] = loaded;
}

TEST_F(Veil, AStoreInTheWindowOfALoadIsLost) {
  DeviceBuffer<float> d_element(std::vector<float>{kStored});
  EXPECT_EQ(count_of(kStored, run(window_kernel, d_element.data())), kThreads);
  EXPECT_TRUE(stores_hidden_);
}

__global__ void others_kernel(float* out) {
  __shared__ const float* where[kThreads];
  float mine[2] = {kStored, 0};
  where[threadIdx.x] = mine;
  __syncthreads();
  const float others = *where[(threadIdx.x + 1) % kThreads];
  __syncthreads();
  out[threadIdx.x] = others + (mine[0] - kStored);
}

TEST_F(Veil, HidesTheLocalArraysOfOtherThreads) {
  EXPECT_EQ(count_of(kStored, run(others_kernel)), 0);
}

__global__ void arguments_kernel(float* out, float argument) {
  change_arguments(argument, kStored);
  __syncthreads();
  out[threadIdx.x] = argument;
}

TEST_F(Veil, WatchesTheArguments) {
  run(arguments_kernel, 12345.0f);
  EXPECT_TRUE(stores_hidden_);
}

}  // namespace
