#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "tests/support/device_test.h"
#include "trace/kernel_tracer.h"
#include "trace/report/report_steps.h"

#include "simulator/findings.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// The report's record of whole blocks, step by step.

namespace {

using cuda_simulator::BlockStep;
using cuda_simulator::BlockSteps;
using cuda_simulator::KernelCounts;
using cuda_simulator::KernelTracer;
using cuda_simulator::MemorySpace;
using cuda_simulator::Step;
using Kind = BlockStep::Kind;
using Reason = BlockSteps::Reason;

// The environment requests steps, as ./workbook inspect --html does.
class Steps : public DeviceTest {
 protected:
  void SetUp() override {
    setenv("CUDA_SIMULATOR_STEPS", "1", 1);
    DeviceTest::SetUp();
  }
  void TearDown() override {
    unsetenv("CUDA_SIMULATOR_STEPS");
    DeviceTest::TearDown();
  }
};

__global__ void nothing_kernel() {}

using StepsDeathTest = Steps;

TEST_F(StepsDeathTest, MustBe0Or1) {
  for (const char* nonsense : {"no", "2", ""}) {
    const auto launch = [=] {
      setenv("CUDA_SIMULATOR_STEPS", nonsense, 1);
      nothing_kernel<<<1, 32>>>();
    };
    EXPECT_EXIT(launch(), testing::ExitedWithCode(2),
                std::string("CUDA_SIMULATOR_STEPS is '") + nonsense + "'; it must be 0 or 1");
  }
}

const KernelCounts& kernel_named(std::string_view name) {
  for (const auto& kernel : KernelTracer::get().kernels()) {
    if (kernel->name == name) return *kernel;
  }
  throw std::runtime_error(std::string(name) + " was not launched");
}

std::vector<Kind> kinds_of(const BlockSteps& block) {
  std::vector<Kind> kinds;
  for (const BlockStep& step : block.steps) kinds.push_back(step.kind);
  return kinds;
}

std::string json_of(const KernelCounts& kernel, std::size_t most_bytes = 1 << 20) {
  std::ostringstream out;
  cuda_simulator::write_steps(
      out, kernel, [](Step, MemorySpace) { return 7; }, most_bytes);
  return out.str();
}

__global__ void reverse_kernel(const float* in, float* out) {
  __shared__ float row[64];
  row[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[2 * threadIdx.x] = row[63 - threadIdx.x];
}

TEST_F(Steps, WarpsRunOneAtATimeUpToTheBarrier) {
  DeviceBuffer<float> d_in(64), d_out(128);
  d_in.fill_bytes(0);
  reverse_kernel<<<1, 64>>>(d_in.data(), d_out.data());
  const std::vector<BlockSteps>& blocks = kernel_named("reverse_kernel").steps;
  ASSERT_EQ(blocks.size(), 1u);
  const BlockSteps& block = blocks[0];
  EXPECT_EQ(block.reason, Reason::first);
  const Kind r = Kind::request;
  ASSERT_EQ(kinds_of(block), (std::vector<Kind>{r, r, r, r, Kind::barrier, r, r, r, r}));
  EXPECT_EQ(block.steps[0].warp, 0);
  EXPECT_EQ(block.steps[2].warp, 1);
  EXPECT_EQ(block.steps[4].lanes, 64u);  // threads that met at the barrier
  ASSERT_EQ(block.arrays.size(), 3u);
  EXPECT_EQ(block.arrays[1].name, "row");
  const BlockStep& store = block.steps[8];  // of warp 1, with a stride of 8 bytes
  EXPECT_EQ(store.units, 8u);
  EXPECT_EQ(store.ideal_units, 4u);
  EXPECT_TRUE(store.is_regular);
  EXPECT_EQ(block.numbers[store.first_number], 64 * 4);
  EXPECT_EQ(block.numbers[store.first_number + 1], 8);
}

TEST_F(Steps, AddUpToTheCounts) {
  const KernelCounts& kernel = kernel_named("reverse_kernel");
  std::uint64_t counted = 0, stepped = 0;
  kernel.for_each_access([&](Step, MemorySpace, const cuda_simulator::AccessCounts& counts) {
    counted += counts.sectors + counts.wavefronts;
  });
  for (const BlockStep& step : kernel.steps[0].steps) stepped += step.units;
  EXPECT_EQ(stepped * kernel.launches, counted);
}

__global__ void part_kernel(float* out) {
  if (threadIdx.x < 5) {
    out[threadIdx.x] = 1;
  } else if (threadIdx.x % 2 == 0) {
    out[threadIdx.x] = 2;
  }
}

TEST_F(Steps, LanesThatDiverge) {
  DeviceBuffer<float> d_out(32);
  part_kernel<<<1, 32>>>(d_out.data());
  const BlockSteps& block = kernel_named("part_kernel").steps.at(0);
  const auto first =
      std::find_if(block.steps.begin(), block.steps.end(),
                   [](const BlockStep& step) { return step.kind == Kind::divergence; });
  ASSERT_NE(first, block.steps.end());
  EXPECT_EQ(first->lanes, ~0u);
  EXPECT_EQ(block.numbers[first->first_number], 0x1f);
  EXPECT_EQ(block.numbers[first->first_number + 1], 0xffffffe0);
  const BlockStep& last = block.steps.back();
  ASSERT_EQ(last.kind, Kind::request);
  EXPECT_EQ(last.lanes, 0x55555540u);
}

TEST_F(Steps, LanesInRuns) {
  const std::string json = json_of(kernel_named("part_kernel"));
  EXPECT_NE(json.find("[7,0,0,1,1,0,0,5,0,4]"), std::string::npos) << json;
  // Lanes 6, 8, ..., 30 are not adjacent: each is a run of its own.
  EXPECT_NE(json.find("[7,0,0,4,2,0,6,1,24,0,8,1,32,0,"), std::string::npos) << json;
}

__global__ void shuffle_kernel(float* out) {
  out[threadIdx.x] = __shfl_xor_sync(0xffffffff, static_cast<float>(threadIdx.x), 1);
}

TEST_F(Steps, ShufflesHaveTheirSources) {
  DeviceBuffer<float> d_out(32);
  shuffle_kernel<<<1, 32>>>(d_out.data());
  const BlockSteps& block = kernel_named("shuffle_kernel").steps.at(0);
  ASSERT_EQ(kinds_of(block), (std::vector<Kind>{Kind::warp_call, Kind::request}));
  EXPECT_EQ(block.numbers[block.steps[0].first_number], 1);
  EXPECT_EQ(block.numbers[block.steps[0].first_number + 1], 0);
  EXPECT_NE(
      json_of(kernel_named("shuffle_kernel")).find("[\"meet\",0,0,4294967295,\"shuffle\",1,0,3,2,"),
      std::string::npos);
}

__global__ void third_is_costly_kernel(float* out) {
  out[blockIdx.x * 1024 + threadIdx.x * (blockIdx.x == 2 ? 32 : 1)] = 1;
}

TEST_F(Steps, TheFirstBlockAndTheCostliestAreKept) {
  DeviceBuffer<float> d_out(4 * 1024);
  for (int launch = 0; launch < 3; ++launch) third_is_costly_kernel<<<4, 32>>>(d_out.data());
  const std::vector<BlockSteps>& blocks = kernel_named("third_is_costly_kernel").steps;
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[0].block[0], 0u);
  EXPECT_EQ(blocks[1].reason, Reason::costliest);
  EXPECT_EQ(blocks[1].block[0], 2u);
  EXPECT_EQ(blocks[1].launch, 1u);
  EXPECT_EQ(blocks[1].excess, 28u);
}

__global__ void second_races_kernel(float* out) {
  __shared__ float one;
  if (threadIdx.x == 0 || blockIdx.x == 1) one = static_cast<float>(threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = one;
}

TEST_F(Steps, ABlockWithAFindingIsKept) {
  DeviceBuffer<float> d_out(3);
  second_races_kernel<<<3, 64>>>(d_out.data());
  EXPECT_EQ(cuda_simulator::take_findings().size(), 1u);
  const std::vector<BlockSteps>& blocks = kernel_named("second_races_kernel").steps;
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[1].reason, Reason::finding);
  EXPECT_EQ(blocks[1].block[0], 1u);
}

__global__ void long_kernel(float* out, int turns) {
  for (int i = 0; i < turns; ++i) atomicAdd(&out[threadIdx.x], 1.0f);
}

TEST_F(Steps, ALongBlockIsCutAndMarked) {
  constexpr int kTurns = 12'345;
  DeviceBuffer<float> d_out(32);
  d_out.fill_bytes(0);
  long_kernel<<<1, 32>>>(d_out.data(), kTurns);
  const KernelCounts& kernel = kernel_named("long_kernel");
  EXPECT_EQ(kernel.steps.at(0).steps.size(), 10'000u);
  EXPECT_EQ(kernel.steps.at(0).left_out, kTurns - 10'000u);
  EXPECT_NE(json_of(kernel).find("\"left_out\":2345"), std::string::npos);
}

TEST_F(Steps, TheReportLeavesOutStepsThatDoNotFit) {
  const std::string json = json_of(kernel_named("long_kernel"), 1000);
  EXPECT_LT(json.size(), 2000u);
  EXPECT_EQ(json.find("\"left_out\":2345"), std::string::npos);
  EXPECT_NE(json.find("\"left_out\":12"), std::string::npos) << json;
}

__global__ void unrecorded_kernel(float* out) { out[threadIdx.x] = 1; }

TEST(StepsWithoutARequest, AreNotKept) {
  float* d_out = nullptr;
  CUDA_CHECK(cudaMalloc(&d_out, 32 * sizeof(float)));
  unrecorded_kernel<<<1, 32>>>(d_out);
  EXPECT_TRUE(kernel_named("unrecorded_kernel").steps.empty());
  CUDA_CHECK(cudaFree(d_out));
}

}  // namespace
