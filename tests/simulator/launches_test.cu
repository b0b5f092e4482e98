#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "tests/support/device_test.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstddef>
#include <string>
#include <vector>

// Messages about impossible launches, and the memory that many launches use.

namespace {

class ImpossibleLaunch : public DeviceTest {};
class ManyLaunches : public DeviceTest {};
class SharedArrays : public DeviceTest {};

__global__ void empty_kernel() {}

// The message of a launch on stderr; the launch must fail.
std::string words_of(dim3 grid, dim3 block, std::size_t dynamic_shared_bytes = 0) {
  testing::internal::CaptureStderr();
  empty_kernel<<<grid, block, dynamic_shared_bytes>>>();
  const std::string words = testing::internal::GetCapturedStderr();
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue) << words;
  return words;
}

std::string cannot(const std::string& why) {
  return "CUDA simulator: empty_kernel cannot be launched: " + why + "\n";
}

TEST_F(ImpossibleLaunch, NamesTheEmptyExtent) {
  EXPECT_EQ(words_of(0, 32), cannot("a grid of 0 x 1 x 1 blocks is empty."));
  EXPECT_EQ(words_of(dim3(2, 3, 0), 32), cannot("a grid of 2 x 3 x 0 blocks is empty."));
  EXPECT_EQ(words_of(1, dim3(8, 0)), cannot("a block of 8 x 0 x 1 threads is empty."));
}

TEST_F(ImpossibleLaunch, NamesTheGridsLimit) {
  const std::string limits = " is too large; x must be at most 2147483647, y and z at most 65535.";
  EXPECT_EQ(words_of(2147483648u, 1), cannot("a grid of 2147483648 x 1 x 1 blocks" + limits));
  EXPECT_EQ(words_of(dim3(1, 65536), 1), cannot("a grid of 1 x 65536 x 1 blocks" + limits));
  EXPECT_EQ(words_of(dim3(1, 1, 65536), 1), cannot("a grid of 1 x 1 x 65536 blocks" + limits));
  EXPECT_EQ(words_of(dim3(1, ~0u), 1), cannot("a grid of 1 x 4294967295 x 1 blocks" + limits));
}

TEST_F(ImpossibleLaunch, NamesTheBlocksLimit) {
  EXPECT_EQ(words_of(1, dim3(32, 33)),
            cannot("a block of 32 x 33 x 1 threads is too large; the maximum is 1024."));
  EXPECT_EQ(words_of(1, dim3(1, 1, 65)),
            cannot("a block of 1 x 1 x 65 threads is too large; z must be at most 64."));
  // The product is 0 in 32 bits.
  EXPECT_EQ(words_of(1, dim3(1u << 31, 2)),
            cannot("a block of 2147483648 x 2 x 1 threads is too large; the maximum is 1024."));
}

TEST_F(ImpossibleLaunch, NamesTheKernelBehindAPointer) {
  void (*const pointer)() = empty_kernel;
  struct {
    void (*kernel)();
  } const stages[] = {{empty_kernel}};
  testing::internal::CaptureStderr();
  pointer<<<0, 1>>>();
  (*pointer)<<<0, 1>>>();
  stages[0].kernel<<<0, 1>>>();
  const std::string once = cannot("a grid of 0 x 1 x 1 blocks is empty.");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), once + once + once);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(ImpossibleLaunch, NamesTheLimitOfDynamicSharedMemory) {
  EXPECT_EQ(
      words_of(1, 1, 49153),
      cannot("it requests 49153 bytes of dynamic shared memory, but the limit is 49152. Raise "
             "it with cudaFuncSetAttribute and cudaFuncAttributeMaxDynamicSharedMemorySize, "
             "up to 232448."));
  EXPECT_EQ(words_of(1, 1, 232449),
            cannot("it requests 232449 bytes of dynamic shared memory, but the device has only "
                   "232448 for this kernel."));
  EXPECT_EQ(words_of(1, 1, std::size_t{1} << 40),
            cannot("it requests 1099511627776 bytes of dynamic shared memory, but the device has "
                   "only 232448 for this kernel."));
}

__global__ void count_kernel(int* count) {
  if (threadIdx.x == 0) atomicAdd(count, 1);
}

long peak_memory_kb() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST_F(ManyLaunches, TakeNoMemory) {
  DeviceBuffer<int> d_count(std::vector<int>{0});
  const auto launch = [&](int launches) {
    for (int i = 0; i < launches; ++i) count_kernel<<<1 + i % 3, 32>>>(d_count.data());
  };
  launch(300);
  const long before_kb = peak_memory_kb();
  launch(30000);
  CUDA_CHECK(cudaDeviceSynchronize());
  EXPECT_LT(peak_memory_kb() - before_kb, 1024);  // 35 bytes per launch
  EXPECT_EQ(d_count.to_host().front(), 2 * 30300);
}

// Each kernel has its own array: together they take 40 times 40 KB.
template <int kNumber>
__global__ void reverse_kernel(int* out) {
  __shared__ int values[10240];
  const unsigned end = 10239 - threadIdx.x;
  values[end] = kNumber;
  __syncthreads();
  out[threadIdx.x] = values[10239 - 31 + threadIdx.x];
}

template <int kNumber>
void expect_reversed_down_from() {
  DeviceBuffer<int> d_out(32);
  reverse_kernel<kNumber><<<1, 32>>>(d_out.data());
  EXPECT_EQ(d_out.to_host(), std::vector<int>(32, kNumber));
  if constexpr (kNumber > 0) expect_reversed_down_from<kNumber - 1>();
}

TEST_F(SharedArrays, OfManyKernels) { expect_reversed_down_from<39>(); }

}  // namespace
