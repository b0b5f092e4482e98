#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "expect_findings.h"

// The report, at the end of a program, on memory that it has not freed.

namespace {

class UnfreedMemoryDeathTest : public FindingsTest {};

__global__ void fill_kernel(int* out) { out[threadIdx.x] = 7; }

float* allocated(std::size_t count) {
  float* d_array = nullptr;
  cudaMalloc(&d_array, count * sizeof *d_array);
  return d_array;
}
constexpr int kFunctionLine = __LINE__ - 3;

std::string place(int line) {
  return "unfreed_memory_test\\.cu:" + std::to_string(line) + ":[0-9]+";
}

TEST_F(UnfreedMemoryDeathTest, IsReportedWithTheLinesOfItsAllocations) {
  int pinned_line = 0;
  const auto leak = [&] {
    int* pinned = nullptr;
    for (int i = 0; i < 3; ++i) allocated(10);
    cudaMallocHost(&pinned, 64);
    std::exit(0);
  };
  pinned_line = __LINE__ - 3;
  EXPECT_EXIT(
      leak(), testing::ExitedWithCode(0),
      "has not freed 184 bytes of memory.*\n  " + place(kFunctionLine) +
          "  cudaMalloc: 120 bytes in 3 allocations. Free this memory with cudaFree\\.\n  " +
          place(pinned_line) + "  cudaMallocHost: 64 bytes. Free .* with cudaFreeHost\\.");
}

TEST_F(UnfreedMemoryDeathTest, IsNotReportedIfItIsFreed) {
  EXPECT_EXIT(
      {
        cudaFree(allocated(10));
        int* d_managed = nullptr;
        int* d_reset = nullptr;
        cudaMallocManaged(&d_managed, 64);
        cudaFree(d_managed);
        cudaMalloc(&d_reset, 64);
        cudaDeviceReset();
        std::exit(0);
      },
      testing::ExitedWithCode(0), "^$");
}

struct Owner {
  float* d_array = nullptr;
  ~Owner() { cudaFree(d_array); }
};

TEST_F(UnfreedMemoryDeathTest, IsNotReportedIfAGlobalObjectFreesIt) {
  EXPECT_EXIT(
      {
        static Owner owner;
        owner.d_array = allocated(10);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "^$");
}

TEST_F(UnfreedMemoryDeathTest, IsNotReportedIfTheProgramFails) {
  EXPECT_EXIT((allocated(10), std::exit(3)), testing::ExitedWithCode(3), "^$");
  EXPECT_EXIT(
      {
        int* d_numbers = nullptr;
        cudaMalloc(&d_numbers, 64);
        fill_kernel<<<1, 17>>>(d_numbers);
        std::exit(0);
      },
      testing::ExitedWithCode(1), "^CUDA simulator: fill_kernel: .*at byte 64[^\n]*\n[^\n]*\n$");
}

}  // namespace
