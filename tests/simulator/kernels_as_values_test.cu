#include "tests/simulator/run_kernel.h"
#include "tests/support/device_test.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <vector>

// cudaLaunchKernel, block sizes that are chosen for a kernel, priorities of streams.

namespace {

class LaunchKernel : public DeviceTest {};
class BlockSizes : public DeviceTest {};
class StreamPriorities : public DeviceTest {};

struct Line {
  float slope;
  int offset;
};

__global__ void line_kernel(float* out, int n, Line line) {
  extern __shared__ float h[];
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  h[threadIdx.x] = line.slope * static_cast<float>(i);
  __syncthreads();
  if (i < n) out[i] = h[threadIdx.x] + static_cast<float>(line.offset);
}
__global__ void no_parameters_kernel() {}

// The dynamic shared memory that a block of more than 256 threads needs.
struct BytesOfLargeBlocks {
  unsigned bytes;
  __host__ __device__ unsigned operator()(int block_threads) const {
    return block_threads > 256 ? bytes : 0;
  }
};

constexpr int kSize = 70;

std::vector<float> expected_line() {
  return generated<float>(kSize, [](int i) { return 0.5f * static_cast<float>(i) + 3; });
}

TEST_F(LaunchKernel, PassesEachArgument) {
  const auto out = output_of<float>(kSize, [](float* d_out) {
    int n = kSize;
    Line line{0.5f, 3};
    void* arguments[] = {&d_out, &n, &line};
    EXPECT_EQ(cudaLaunchKernel(line_kernel, dim3(3), dim3(32), arguments, 32 * sizeof(float), 0),
              cudaSuccess);
  });
  EXPECT_EQ(out, expected_line());
}

TEST_F(LaunchKernel, TakesTheKernelAsAPointerToVoid) {
  const auto out = output_of<float>(kSize, [](float* d_out) {
    int n = kSize;
    Line line{0.5f, 3};
    void* arguments[] = {&d_out, &n, &line};
    EXPECT_EQ(cudaLaunchKernel((const void*)line_kernel, 3, 32, arguments, 32 * sizeof(float), 0),
              cudaSuccess);
    EXPECT_EQ(cudaLaunchKernel((void*)&line_kernel, 3, 32, arguments, 32 * sizeof(float), 0),
              cudaSuccess);
    EXPECT_EQ(cudaLaunchKernel(reinterpret_cast<const void*>(line_kernel), 3, 32, arguments,
                               32 * sizeof(float), 0),
              cudaSuccess);
  });
  EXPECT_EQ(out, expected_line());
}

TEST_F(LaunchKernel, ReturnsTheErrorOfAnImpossibleLaunch) {
  EXPECT_EQ(cudaLaunchKernel(no_parameters_kernel, 1, 1025, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaLaunchKernel(no_parameters_kernel, 1, 1024, nullptr), cudaSuccess);
}

TEST_F(BlockSizes, FillAMultiprocessor) {
  cudaDeviceProp device;
  ASSERT_EQ(cudaGetDeviceProperties(&device, 0), cudaSuccess);
  int blocks = 0, threads = 0, resident = 0;
  ASSERT_EQ(cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, no_parameters_kernel),
            cudaSuccess);
  EXPECT_EQ(threads, 1024);
  EXPECT_EQ(blocks, device.multiProcessorCount * (device.maxThreadsPerMultiProcessor / 1024));
  ASSERT_EQ(cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, no_parameters_kernel, 0, 200),
            cudaSuccess);
  ASSERT_EQ(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, no_parameters_kernel, threads, 0),
      cudaSuccess);
  EXPECT_LE(threads, 200);
  EXPECT_EQ(blocks, resident * device.multiProcessorCount);
}

TEST_F(BlockSizes, TakeSharedMemoryIntoAccount) {
  int blocks = 0, threads = 0;
  ASSERT_EQ(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&blocks, &threads, no_parameters_kernel,
                                                           BytesOfLargeBlocks{40 << 10}, 512),
            cudaSuccess);
  // Memory limits blocks of 512 to 5 and threads limit them to 4: all threads are in use.
  EXPECT_EQ(threads, 512);
  ASSERT_EQ(cudaFuncSetAttribute(no_parameters_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 200 << 10),
            cudaSuccess);
  ASSERT_EQ(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&blocks, &threads, no_parameters_kernel,
                                                           BytesOfLargeBlocks{200 << 10}, 512),
            cudaSuccess);
  EXPECT_EQ(threads, 256);
}

TEST_F(StreamPriorities, AreRemembered) {
  int least = 1, greatest = 1, priority = 1;
  ASSERT_EQ(cudaDeviceGetStreamPriorityRange(&least, &greatest), cudaSuccess);
  EXPECT_EQ(least, 0);
  EXPECT_LE(greatest, least);
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest), cudaSuccess);
  EXPECT_EQ(cudaStreamGetPriority(stream, &priority), cudaSuccess);
  EXPECT_EQ(priority, greatest);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

}  // namespace
