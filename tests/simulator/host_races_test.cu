#include "common/cuda_check.h"

#include <cuda_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <utility>

#include "expect_findings.h"

// Host code that uses managed or pinned memory: the calls that make it wait for the work that uses
// this memory too, and the findings without such a call.

namespace {

__global__ void store_kernel(int* out, int value) { out[threadIdx.x] = value; }
constexpr int kStoreLine = __LINE__ - 1;
__global__ void load_kernel(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }
__device__ int variable;

constexpr std::size_t kBytes = 256;  // 64 elements

class HostRaces : public FindingsTest {
 protected:
  void SetUp() override {
    FindingsTest::SetUp();
    CUDA_CHECK(cudaStreamCreate(&stream));
    CUDA_CHECK(cudaStreamCreate(&other));
    CUDA_CHECK(cudaEventCreate(&event));
    CUDA_CHECK(cudaMalloc(&d_data, kBytes));
    CUDA_CHECK(cudaMemset(d_data, 0, kBytes));
    CUDA_CHECK(cudaMallocManaged(&managed, kBytes));
    CUDA_CHECK(cudaMallocHost(&pinned, kBytes));
    std::fill_n(managed, 64, 1);
  }
  static void store(cudaStream_t on, int* out) { store_kernel<<<1, 64, 0, on>>>(out, 0); }
  static void load(cudaStream_t on, const int* in, int* out) {
    load_kernel<<<1, 64, 0, on>>>(in, out);
  }

  cudaStream_t stream = nullptr, other = nullptr;
  cudaEvent_t event = nullptr;
  int *d_data = nullptr, *managed = nullptr, *pinned = nullptr;
};

TEST_F(HostRaces, OneFindingPerLaunchThatTheHostHasNotWaitedFor) {
  store(nullptr, managed);
  int sum = 0;
  for (int i = 2; i < 64; ++i) sum += managed[i];
  const int read_line = __LINE__ - 1;
  EXPECT_EQ(sum, 0);
  EXPECT_EQ(managed[1], 0);
  const Finding finding = only_finding();
  EXPECT_EQ(finding.message,
            "the host reads byte 8 of an allocation of 256 bytes in managed memory, but it has not "
            "waited for store_kernel, which writes it. A launch returns before its kernel has run. "
            "Call cudaDeviceSynchronize() in between.");
  EXPECT_EQ(facts_of(finding), "finding=host_race access=store access=load between=host");
  ASSERT_EQ(finding.places.size(), 2u);
  EXPECT_EQ(finding.places[0].line, kStoreLine);
  EXPECT_EQ(finding.places[1].line, read_line);
}

TEST_F(HostRaces, AReadOrAWriteOfWhatAWorkUses) {
  const std::pair<std::string, std::function<void()>> races[] = {
      {"writes byte 4 .*load_kernel, which reads it",
       [&] { load(stream, managed, d_data), managed[1] = 2; }},
      {"writes byte 0 .*store_kernel, which writes it",
       [&] { store(stream, managed), std::memset(managed, 0, 4); }},
      {"reads byte 8 .*pinned.*cudaMemcpyAsync, which writes it. The call returns",
       [&] {
         cudaMemcpyAsync(pinned, d_data, kBytes, cudaMemcpyDeviceToHost, stream);
         EXPECT_NE(pinned[2], 7);
       }},
      {"writes byte 8 .*pinned.*cudaMemcpyAsync, which reads it",
       [&] {
         cudaMemcpyAsync(d_data, pinned, kBytes, cudaMemcpyHostToDevice, stream);
         pinned[2] = 1;
       }},
      {"reads byte 0 .*store_kernel",
       [&] {
         store(stream, managed);
         CUDA_CHECK(cudaStreamSynchronize(other));
         CUDA_CHECK(cudaMemsetAsync(pinned, 0, 4, other));
         EXPECT_EQ(managed[0], 0);
       }},
  };
  for (const auto& [words, use] : races) {
    use();
    EXPECT_THAT(only_finding().message, testing::ContainsRegex(words));
    CUDA_CHECK(cudaDeviceSynchronize());
  }
}

TEST_F(HostRaces, TheHostHasWaited) {
  int other_int = 0;
  const std::function<void()> waits[] = {
      [] { CUDA_CHECK(cudaDeviceSynchronize()); },
      [] { CUDA_CHECK(cudaStreamSynchronize(nullptr)); },
      [] { CUDA_CHECK(cudaStreamQuery(nullptr)); },
      [&] {
        CUDA_CHECK(cudaEventRecord(event));
        CUDA_CHECK(cudaEventSynchronize(event));
      },
      [&] {
        CUDA_CHECK(cudaEventRecord(event));
        CUDA_CHECK(cudaEventQuery(event));
      },
      [&] { CUDA_CHECK(cudaMemcpy(&other_int, d_data, 4, cudaMemcpyDeviceToHost)); },
      [&] { CUDA_CHECK(cudaMemcpyFromSymbol(&other_int, variable, 4)); },
      [&] { CUDA_CHECK(cudaMemcpyToSymbol(variable, &other_int, 4)); },
      [&] { CUDA_CHECK(cudaMemset(pinned, 0, 4)); },
      [&] { CUDA_CHECK(cudaFree(std::exchange(d_data, nullptr))); },
      [&] { EXPECT_EQ(*static_cast<volatile int*>(managed), 0); },  // it polls a flag
      [&] { EXPECT_EQ(__atomic_load_n(managed, __ATOMIC_ACQUIRE), 0); },
  };
  for (const auto& wait : waits) {
    store(nullptr, managed);
    wait();
    EXPECT_EQ(managed[1], 0);
    managed[1] = 1;
    EXPECT_TRUE(take_findings().empty()) << "wait " << &wait - waits;
  }
}

TEST_F(HostRaces, AFunctionOfTheHostInAStreamComesAfterTheStreamsWork) {
  store(stream, managed);
  CUDA_CHECK(cudaLaunchHostFunc(
      stream, [](void* data) { EXPECT_EQ(++*static_cast<int*>(data), 1); }, managed));
  const auto callback = [](cudaStream_t, cudaError_t, void* data) {
    EXPECT_EQ(++*static_cast<int*>(data), 2);
  };
  CUDA_CHECK(cudaStreamAddCallback(stream, callback, managed, 0));
  EXPECT_EQ(managed[0], 2);  // the function may have informed the program
  EXPECT_TRUE(take_findings().empty());
}

TEST_F(HostRaces, OtherElementsAreFree) {
  store_kernel<<<1, 32>>>(managed, 0);
  managed[32] = 2;
  load_kernel<<<1, 32>>>(managed + 32, d_data);
  EXPECT_EQ(managed[32], 2);
  expect_nothing_found();
}

}  // namespace
