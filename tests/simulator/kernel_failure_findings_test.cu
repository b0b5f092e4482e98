#include <cassert>

#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "division_by_zero.h"
#include "expect_findings.h"

// Kernels that end early, in the traced build: a finding with the learner's line.

namespace cg = cooperative_groups;

namespace {

class Asserts : public FindingsTest {};
class Exceptions : public FindingsTest {};
class NotSimulated : public FindingsTest {};
class OwnMemory : public FindingsTest {};
class CrashDeathTest : public FindingsTest {};

__global__ void assert_kernel(const int* values, int size) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  assert(i >= size || values[i] > 0);
}
constexpr int kAssertLine = __LINE__ - 2;

TEST_F(Asserts, ThatFails) {
  std::vector<int> h_values(100, 1);
  const DeviceBuffer<int> d_positive(h_values);
  assert_kernel<<<2, 64>>>(d_positive.data(), 100);
  expect_nothing_found();
  h_values[70] = 0;
  const DeviceBuffer<int> d_values(h_values);
  assert_kernel<<<2, 64>>>(d_values.data(), 100);
  expect_one_place("assert", "failed assert(i >= size || values[i] > 0)", kAssertLine, "assert",
                   {6, 0, 0}, {1, 0, 0});
  expect_device_lost(cudaErrorAssert);
}

__device__ int checked(int value) {
  assert(value != 3);
  return value;
}
constexpr int kCheckedLine = __LINE__ - 3;
__global__ void assert_in_function_kernel(int* out) { out[threadIdx.x] = checked(threadIdx.x); }

TEST_F(Asserts, InADeviceFunction) {
  DeviceBuffer<int> d_out(8);
  assert_in_function_kernel<<<1, 8>>>(d_out.data());
  expect_one_place("assert", "failed assert(value != 3)", kCheckedLine, "assert", {3, 0, 0});
}

struct Tidy {
  int* out;
  __device__ ~Tidy() { *out = 1; }
};

__global__ void throw_kernel(int* out) {
  const Tidy tidy{out + threadIdx.x};
  if (threadIdx.x == 5) throw std::runtime_error("out of luck");
}
constexpr int kThrowLine = __LINE__ - 2;
__global__ void throw_int_kernel(int value) { throw value; }
constexpr int kThrowIntLine = __LINE__ - 1;

TEST_F(Exceptions, NameTheirTypeAndLine) {
  DeviceBuffer<int> d_out(32);
  throw_kernel<<<1, 32>>>(d_out.data());
  expect_one_place("exception", "threw std::runtime_error (out of luck). Device code has no ",
                   kThrowLine, "throw", {5, 0, 0});
  expect_device_lost(cudaErrorLaunchFailure);
}

TEST_F(Exceptions, OfAnyType) {
  throw_int_kernel<<<1, 1>>>(3);
  expect_one_place("exception", "threw int. Device", kThrowIntLine, "throw");
}

TEST_F(Exceptions, LeaveTheNextOneAlone) {
  for (int i = 0; i < 3; ++i) {
    throw_int_kernel<<<1, 1>>>(i);
    EXPECT_EQ(only_finding().kind, "exception");
    CUDA_CHECK(cudaDeviceReset());
  }
  EXPECT_THROW(throw std::runtime_error("host"), std::runtime_error);
}

__global__ void child_kernel() {}
__global__ void parent_kernel() { child_kernel<<<1, 1>>>(); }
constexpr int kLaunchLine = __LINE__ - 1;
__global__ void grid_sync_kernel() { cg::this_grid().sync(); }
constexpr int kGridSyncLine = __LINE__ - 1;
__global__ void grid_as_thread_group_kernel() {
  const cg::thread_group group = cg::this_grid();
  group.sync();
}
constexpr int kGridAsThreadGroupLine = __LINE__ - 2;
__global__ void tile_size_kernel(unsigned size) {
  const cg::thread_group part = cg::tiled_partition(cg::this_thread_block(), size);
  part.sync();
}
constexpr int kTileSizeLine = __LINE__ - 3;

TEST_F(NotSimulated, LaunchInAKernel) {
  parent_kernel<<<1, 1>>>();
  expect_one_place("launch_in_kernel", "launches child_kernel from inside a kernel", kLaunchLine,
                   "launch");
  expect_device_lost(cudaErrorNotSupported);
}

TEST_F(NotSimulated, SyncOfAGrid) {
  grid_sync_kernel<<<1, 32>>>();
  expect_one_place("group", "called sync() of a grid", kGridSyncLine, "call");
  expect_device_lost(cudaErrorLaunchFailure);
}

TEST_F(NotSimulated, GridAsAThreadGroup) {
  CUDA_CHECK(cudaLaunchCooperativeKernel(grid_as_thread_group_kernel, dim3(2), dim3(32), nullptr));
  expect_one_place("group", "used a thread_group that was made of a grid_group",
                   kGridAsThreadGroupLine, "call");
  expect_device_lost(cudaErrorLaunchFailure);
}

TEST_F(NotSimulated, SizeOfATile) {
  tile_size_kernel<<<1, 32>>>(24);
  expect_one_place("group", "called tiled_partition with a size of 24; it must be 1, 2, 4, 8, 16",
                   kTileSizeLine, "call");
  expect_device_lost(cudaErrorLaunchFailure);
}

// ---- Memory that a kernel allocates: nvcc has a heap for new and malloc, and no std::vector ----

__global__ void new_kernel(int* out) {
  int* const values = new int[4];
  values[threadIdx.x] = 1;
  *out = values[0];
}
constexpr int kNewLine = __LINE__ - 3;
__global__ void vector_kernel(int size, int* out) {
  std::vector<int> values(static_cast<std::size_t>(size), 7);
  *out = values[0];
}
constexpr int kVectorLine = __LINE__ - 3;

TEST_F(OwnMemory, OfNew) {
  DeviceBuffer<int> d_out(1);
  new_kernel<<<1, 1>>>(d_out.data());
  expect_one_place("host_pointer", "does the kernel allocate memory itself (new, malloc, std::vect",
                   kNewLine, "store");
}

TEST_F(OwnMemory, OfAContainer) {  // the line is the learner's, not the library's
  DeviceBuffer<int> d_out(1);
  vector_kernel<<<1, 1>>>(9, d_out.data());
  expect_one_place("host_pointer", "allocate memory itself", kVectorLine, "store");
}

// ---- What the processor stops ----

__device__ int sum_down_from(int n) {
  volatile int values[4] = {n, n, n, n};
  return n == 0 ? 0 : sum_down_from(n - 1) + values[n % 4];
}
__global__ void recursive_kernel(int depth, int* out) { *out = sum_down_from(depth); }

__global__ void divide_kernel(int* values) { values[threadIdx.x] = 100 / values[threadIdx.x]; }
constexpr int kDivideLine = __LINE__ - 1;

template <int kInts>
__global__ void local_array_kernel(int* out) {
  int values[kInts];
  for (int i = 0; i < kInts; ++i) values[i] = i;
  __syncthreads();
  *out = values[*out];
}

TEST_F(CrashDeathTest, DeepRecursion) {
  const auto launch = [] {
    DeviceBuffer<int> d_out(1);
    recursive_kernel<<<1, 1>>>(1000000, d_out.data());
  };
  EXPECT_EXIT(launch(), testing::ExitedWithCode(1),
              "recursive_kernel: a thread needs more than 160 KB of stack: deep recursion, or a "
              "large array in a kernel\\.\n  kernel_failure_findings_test\\.cu:[0-9]+:[0-9]+  call "
              "by thread \\(0,0,0\\)");
}

TEST_F(CrashDeathTest, LargeLocalArray) {
  const auto launch = [](auto kernel) {
    DeviceBuffer<int> d_out(std::vector<int>{0});
    kernel<<<1, 1>>>(d_out.data());
  };
  EXPECT_EXIT(launch(local_array_kernel<42000>), testing::ExitedWithCode(1), "more than 160 KB");
  EXPECT_EXIT(launch(local_array_kernel<1000000>), testing::ExitedWithCode(1), "more than 160 KB");
}

TEST_F(CrashDeathTest, DivisionByZero) {
  if (!kDivisionByZeroStops) GTEST_SKIP() << "this processor goes on with 0";
  const auto launch = [] {
    DeviceBuffer<int> d_values(std::vector<int>{4, 2, 0, 1});
    divide_kernel<<<1, 4>>>(d_values.data());
  };
  EXPECT_EXIT(launch(), testing::ExitedWithCode(1),
              "divide_kernel: a thread divided an integer by zero\\.\n"
              "  kernel_failure_findings_test\\.cu:" +
                  std::to_string(kDivideLine) + ":[0-9]+  division by thread \\(2,0,0\\)");
}

TEST_F(CrashDeathTest, IsInTheReport) {
  if (!kDivisionByZeroStops) GTEST_SKIP() << "this processor goes on with 0";
  const std::string report = testing::TempDir() + "crash_report.json";
  const auto launch = [&] {
    setenv("CUDA_SIMULATOR_REPORT", report.c_str(), 1);
    DeviceBuffer<int> d_values(std::vector<int>{0});
    divide_kernel<<<1, 1>>>(d_values.data());
  };
  EXPECT_EXIT(launch(), testing::ExitedWithCode(1), "divided an integer");
  std::ifstream file(report);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_NE(text.find("\"kind\":\"division_by_zero\",\"kernel\":\"divide_kernel\""),
            std::string::npos)
      << text;
  std::remove(report.c_str());
}

}  // namespace
