#include <cassert>

#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "division_by_zero.h"

// Kernels that end early, in the plain build: the message, and the state of the program.

namespace cg = cooperative_groups;

namespace {

class KernelFailure : public testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(cudaDeviceReset(), cudaSuccess); }
};
class KernelFailureDeathTest : public testing::Test {
 protected:
  void SetUp() override { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

template <typename Launch>
std::string words_of(Launch launch) {
  testing::internal::CaptureStderr();
  launch();
  return testing::internal::GetCapturedStderr();
}

// ---- assert ----

__global__ void assert_below_kernel(unsigned limit, int* out) {
  assert(threadIdx.x < limit);
  out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
constexpr int kAssertLine = __LINE__ - 3;

TEST_F(KernelFailure, AssertPrintsTheMessageOfAGpu) {
  DeviceBuffer<int> d_out(64);
  const std::string words =
      words_of([&] { assert_below_kernel<<<1, dim3(64)>>>(40, d_out.data()); });
  EXPECT_NE(words.find("kernel_failures_test.cu:" + std::to_string(kAssertLine) + ": void "),
            std::string::npos)
      << words;
  EXPECT_NE(words.find("assert_below_kernel(unsigned int, int*): block: [0,0,0], "
                       "thread: [40,0,0] Assertion `threadIdx.x < limit` failed.\n"),
            std::string::npos)
      << words;
}

TEST_F(KernelFailure, AssertEndsTheGridAndTheContext) {
  DeviceBuffer<int> d_out(100 * 64);
  words_of([&] { assert_below_kernel<<<100, 64>>>(40, d_out.data()); });
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorAssert);
  EXPECT_EQ(cudaErrorAssert, 710);
  EXPECT_EQ(cudaGetLastError(), cudaErrorAssert);
  int h_value = 0;
  EXPECT_EQ(cudaMemcpy(&h_value, d_out.data(), sizeof h_value, cudaMemcpyDeviceToHost),
            cudaErrorAssert);
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(KernelFailure, AssertThatHolds) {
  DeviceBuffer<int> d_out(64);
  EXPECT_EQ(words_of([&] { assert_below_kernel<<<1, 64>>>(64, d_out.data()); }), "");
  EXPECT_EQ(d_out.to_host(), std::vector<int>(64, 1));
}

TEST_F(KernelFailureDeathTest, AssertOnTheHostAborts) {
  const int size = 3;
  EXPECT_EXIT(assert(size == 4), testing::KilledBySignal(SIGABRT),
              "kernel_failures_test.cu:.*: Assertion `size == 4' failed");
}

// ---- Exceptions ----

struct Tidy {
  int* out;
  __device__ ~Tidy() { *out = 1; }
};

__global__ void throw_kernel(unsigned thrower, int* out) {
  const Tidy tidy{out + threadIdx.x};
  __syncthreads();
  if (blockIdx.x == 2 && threadIdx.x == thrower) throw std::runtime_error("out of luck");
}
__global__ void throw_int_kernel() { throw 3; }
__global__ void library_throws_kernel(int* out) { *out = std::vector<int>(2).at(threadIdx.x); }

TEST_F(KernelFailureDeathTest, Exception) {
  const auto launch = [] {
    DeviceBuffer<int> d_out(64);
    throw_kernel<<<4, 64>>>(33, d_out.data());
  };
  EXPECT_EXIT(
      launch(), testing::ExitedWithCode(1),
      "CUDA simulator: throw_kernel, thread \\(33,0,0\\) of block \\(2,0,0\\), threw "
      "std::runtime_error \\(out of luck\\)\\. Device code cannot use exceptions; nvcc rejects "
      "them\\.");
}

TEST_F(KernelFailureDeathTest, ExceptionOfAnyType) {
  EXPECT_EXIT((throw_int_kernel<<<1, 1>>>()), testing::ExitedWithCode(1),
              "throw_int_kernel, thread \\(0,0,0\\) of block \\(0,0,0\\), threw int\\.");
}

TEST_F(KernelFailureDeathTest, ExceptionOfTheLibrary) {
  const auto launch = [] {
    DeviceBuffer<int> d_out(1);
    library_throws_kernel<<<1, 5>>>(d_out.data());
  };
  EXPECT_EXIT(launch(), testing::ExitedWithCode(1),
              "thread \\(2,0,0\\) of block \\(0,0,0\\), threw std::out_of_range \\(vector");
}

TEST_F(KernelFailure, ExceptionOnTheHostIsCaught) {
  EXPECT_THROW(throw std::runtime_error("host"), std::runtime_error);
}

// ---- Errors that the processor detects ----

__device__ int sum_down_from(int n) {
  volatile int values[4] = {n, n, n, n};
  return n == 0 ? 0 : sum_down_from(n - 1) + values[n % 4];
}
__global__ void recursive_kernel(int depth, int* out) {
  out[threadIdx.x] = sum_down_from(threadIdx.x == 7 ? depth : 3);
}

template <int kInts>
__global__ void local_array_kernel(int* out) {
  int values[kInts];
  for (int i = 0; i < kInts; ++i) values[i] = i * static_cast<int>(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = values[out[threadIdx.x]];
}

__global__ void divide_kernel(int* values) { values[threadIdx.x] = 100 / values[threadIdx.x]; }

TEST_F(KernelFailureDeathTest, DeepRecursion) {
  const auto launch = [](int depth) {
    DeviceBuffer<int> d_out(32);
    recursive_kernel<<<1, 32>>>(depth, d_out.data());
    CUDA_CHECK(cudaDeviceSynchronize());
    std::exit(0);
  };
  EXPECT_EXIT(launch(200), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(
      launch(1000000), testing::ExitedWithCode(1),
      "recursive_kernel, thread \\(7,0,0\\) of block \\(0,0,0\\), needs more than 160 KB of "
      "stack: look for deep recursion or a large local array");
}

// An array that is larger than a whole stack must not reach into another thread's stack either.
TEST_F(KernelFailureDeathTest, LargeLocalArray) {
  const auto launch = [](auto kernel) {
    DeviceBuffer<int> d_out(std::vector<int>(64, 5));
    kernel<<<1, 64>>>(d_out.data());
    CUDA_CHECK(cudaDeviceSynchronize());
    std::exit(d_out.to_host()[63] == 5 * 63 ? 0 : 3);
  };
  EXPECT_EXIT(launch(local_array_kernel<36000>), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(launch(local_array_kernel<42000>), testing::ExitedWithCode(1), "more than 160 KB");
  EXPECT_EXIT(launch(local_array_kernel<100000>), testing::ExitedWithCode(1), "more than 160 KB");
  EXPECT_EXIT(launch(local_array_kernel<1000000>), testing::ExitedWithCode(1), "more than 160 KB");
}

TEST_F(KernelFailureDeathTest, DivisionByZero) {
  if (!kDivisionByZeroStops) GTEST_SKIP() << "this processor continues with 0";
  const auto launch = [] {
    DeviceBuffer<int> d_values(std::vector<int>{4, 2, 0, 1});
    divide_kernel<<<1, 4>>>(d_values.data());
  };
  EXPECT_EXIT(launch(), testing::ExitedWithCode(1),
              "divide_kernel, thread \\(2,0,0\\) of block \\(0,0,0\\), divided an integer by zero");
}

// ---- Features that are not simulated ----

__global__ void child_kernel() {}
__global__ void parent_kernel() { child_kernel<<<1, 1>>>(); }
__global__ void grid_sync_kernel() { cg::this_grid().sync(); }
enum class Use { sync, free_sync, size, rank, part };
__global__ void grid_as_thread_group_kernel(Use use) {
  const cg::thread_group group = cg::this_grid();
  if (use == Use::sync) group.sync();
  if (use == Use::free_sync) cg::sync(group);
  if (use == Use::size && group.size() == 0) __trap();
  if (use == Use::rank && group.thread_rank() > 1000) __trap();
  if (use == Use::part) cg::tiled_partition(group, 4).sync();
}
__global__ void tile_size_kernel(unsigned size) {
  cg::tiled_partition(cg::this_thread_block(), size).sync();
}

TEST_F(KernelFailure, LaunchInAKernel) {
  const std::string words = words_of([] { parent_kernel<<<4, 32>>>(); });
  EXPECT_NE(words.find("launches child_kernel from inside a kernel, which is not simulated. Launch "
                       "it from the host."),
            std::string::npos)
      << words;
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorNotSupported);
}

// A GPU fails in the same way after a launch with <<<...>>>.
TEST_F(KernelFailure, SyncOfAGrid) {
  const std::string words = words_of([] { grid_sync_kernel<<<1, 32>>>(); });
  EXPECT_NE(words.find("called sync() of a grid that was launched with <<<...>>>"),
            std::string::npos)
      << words;
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
}

// On a GPU (CUDA 11.8 to 13.0) such a group's sync() returns at once, or syncs the block.
TEST_F(KernelFailure, GridAsAThreadGroup) {
  for (Use use : {Use::sync, Use::free_sync, Use::size, Use::rank, Use::part}) {
    const std::string words = words_of([&] {
      void* arguments[] = {&use};
      CUDA_CHECK(
          cudaLaunchCooperativeKernel(grid_as_thread_group_kernel, dim3(2), dim3(32), arguments));
    });
    EXPECT_NE(words.find("used a thread_group that was created from a grid_group"),
              std::string::npos)
        << words;
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
    EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  }
}

__global__ void missing_block_kernel() {
  if (blockIdx.x > 0) cg::this_grid().sync();
}

TEST_F(KernelFailure, SyncThatABlockDoesNotReach) {
  const std::string words = words_of([] {
    CUDA_CHECK(cudaLaunchCooperativeKernel(missing_block_kernel, dim3(3), dim3(32), nullptr));
  });
  EXPECT_NE(words.find("thread (0,0,0) of block (1,0,0), waits at a sync() of the grid that only 2 "
                       "of 3 blocks reach"),
            std::string::npos)
      << words;
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchTimeout);
}

TEST_F(KernelFailure, CooperativeLaunchThatIsTooLarge) {
  const std::string words = words_of([] {
    EXPECT_EQ(
        cudaLaunchCooperativeKernel(missing_block_kernel, dim3(132 * 2 + 1), dim3(1024), nullptr),
        cudaErrorCooperativeLaunchTooLarge);
  });
  EXPECT_NE(
      words.find("missing_block_kernel cannot be launched: a cooperative launch of 265 "
                 "blocks is too large. All blocks must be on the device at the same time, and "
                 "only 264 fit: 2 on each of 132 multiprocessors."),
      std::string::npos)
      << words;
}

TEST_F(KernelFailure, SizeOfATile) {
  for (const unsigned size : {1u, 16u, 32u}) tile_size_kernel<<<1, 64>>>(size);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (const unsigned size : {0u, 3u, 24u, 33u, 64u}) {
    const std::string words = words_of([=] { tile_size_kernel<<<1, 64>>>(size); });
    EXPECT_NE(words.find("called tiled_partition with a size of " + std::to_string(size) +
                         "; it must be 1, 2, 4, 8, 16 or 32."),
              std::string::npos)
        << words;
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
    EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  }
}

__global__ void shuffle_width_kernel(int* out, int width) {
  const int lane = static_cast<int>(threadIdx.x);
  out[lane] = __shfl_sync(~0u, lane, 3, width) + __shfl_up_sync(~0u, lane, 1, width) +
              __shfl_down_sync(~0u, lane, 1, width) + __shfl_xor_sync(~0u, lane, 1, width);
}

// On a GPU the results are undefined.
TEST_F(KernelFailure, WidthOfAShuffle) {
  const auto launch = [](int width) {
    DeviceBuffer<int> d_out(32);
    shuffle_width_kernel<<<1, 32>>>(d_out.data(), width);
  };
  for (const int width : {1, 8, 32}) EXPECT_EQ(words_of([=] { launch(width); }), "") << width;
  for (const int width : {-32, 0, 12, 33, 64, 256}) {
    const std::string words = words_of([=] { launch(width); });
    EXPECT_NE(words.find("called a shuffle with a width of " + std::to_string(width) + "; it must"),
              std::string::npos)
        << words;
    EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  }
}

// ---- The environment ----

TEST_F(KernelFailureDeathTest, ThreadsOfTheSimulatorAreFrom1To16) {
  for (const char* threads : {"0", "17", "-1", "many", ""}) {
    const auto launch = [=] {
      setenv("CUDA_SIMULATOR_THREADS", threads, 1);
      child_kernel<<<4, 32>>>();
    };
    EXPECT_EXIT(launch(), testing::ExitedWithCode(2),
                std::string("CUDA_SIMULATOR_THREADS is '") + threads + "'; it must be an integer");
  }
}

}  // namespace
