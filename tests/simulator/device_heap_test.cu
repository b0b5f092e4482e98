#include "tests/simulator/run_kernel.h"
#include "tests/support/device_test.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <vector>

// new, delete, malloc and free in kernels.

namespace {

class DeviceHeap : public DeviceTest {};

struct Counter {
  int* ended;
  int value;
  __device__ Counter(int* e, int v) : ended(e), value(v) {}
  __device__ ~Counter() { atomicAdd(ended, value); }
};

__global__ void make_kernel(Counter** counters, int* ended) {
  counters[threadIdx.x] = new Counter(ended, static_cast<int>(threadIdx.x) + 1);
}
__global__ void end_kernel(Counter** counters) { delete counters[threadIdx.x]; }

TEST_F(DeviceHeap, ObjectsLiveUntilALaterKernelDeletesThem) {
  DeviceBuffer<Counter*> d_counters(64);
  EXPECT_EQ(output_of<int>(1,
                           [&](int* d_ended) {
                             CUDA_CHECK(cudaMemset(d_ended, 0, sizeof(int)));
                             make_kernel<<<1, 64>>>(d_counters.data(), d_ended);
                             end_kernel<<<1, 64>>>(d_counters.data());
                           }),
            std::vector<int>{64 * 65 / 2});
}

__global__ void allocate_kernel(char** out, std::size_t bytes) {
  out[0] = static_cast<char*>(malloc(bytes));
  out[1] = new char[bytes];
  free(out[0]);
  delete[] out[1];
}

// A free in the kernel makes room at once.
__global__ void allocate_in_turn_kernel(int* allocated, std::size_t bytes) {
  for (int i = 0; i < 8; ++i) {
    void* const memory = malloc(bytes);
    *allocated += memory != nullptr;
    free(memory);
  }
}

TEST_F(DeviceHeap, ReturnsNullIfItIsFull) {
  std::size_t limit = 0;
  ASSERT_EQ(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize), cudaSuccess);
  EXPECT_EQ(output_of<char*>(2, [&](char** d_out) { allocate_kernel<<<1, 1>>>(d_out, limit + 1); }),
            (std::vector<char*>{nullptr, nullptr}));
}

TEST_F(DeviceHeap, IsFreedInTheKernel) {
  std::size_t limit = 0;
  ASSERT_EQ(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize), cudaSuccess);
  EXPECT_EQ(output_of<int>(1,
                           [&](int* d_out) {
                             CUDA_CHECK(cudaMemset(d_out, 0, sizeof(int)));
                             allocate_in_turn_kernel<<<1, 1>>>(d_out, limit / 2);
                           }),
            std::vector<int>{8});
}

__global__ void keep_kernel(int** out) {
  *out = static_cast<int*>(malloc(sizeof(int)));
  **out = 7;
}
__global__ void free_kernel(int** memory) { free(*memory); }

TEST_F(DeviceHeap, IsOutOfReachOfTheRuntime) {
  DeviceBuffer<int*> d_memory(1);
  keep_kernel<<<1, 1>>>(d_memory.data());
  int* const memory = d_memory.to_host().front();
  ASSERT_NE(memory, nullptr);
  int value = 0;
  EXPECT_EQ(cudaMemcpy(&value, memory, sizeof value, cudaMemcpyDeviceToHost),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(memory), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  free_kernel<<<1, 1>>>(d_memory.data());
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

}  // namespace
