#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "tests/simulator/expect_counts.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "expect_findings.h"

// Accesses through memcpy and related functions, of any size, known to the compiler or not, by name
// or through the C++ library: they are checked and counted like other accesses.

namespace {

using cuda_simulator::AccessKind;
using cuda_simulator::MemorySpace;

class MemoryFunctions : public FindingsTest {};

__global__ void clear_kernel(char* out) { memset(out, 0, 100); }
constexpr int kClearLine = __LINE__ - 1;

TEST_F(MemoryFunctions, MemsetOfConstantSizePastTheEnd) {
  DeviceBuffer<char> d_out(100), d_short(64);
  clear_kernel<<<1, 1>>>(d_out.data());
  expect_nothing_found();
  clear_kernel<<<1, 1>>>(d_short.data());
  expect_one_place("out_of_bounds", "at byte 64 of an allocation of 64 bytes", kClearLine, "store");
  expect_device_lost(cudaErrorIllegalAddress);
}

__global__ void copy_kernel(char* out, const char* in, std::size_t bytes) {
  std::memcpy(out, in, bytes);
}
constexpr int kCopyLine = __LINE__ - 2;

TEST_F(MemoryFunctions, MemcpyOfAnySizePastTheEndOfItsSource) {
  DeviceBuffer<char> d_out(100), d_in(50);
  d_in.fill_bytes(0);
  copy_kernel<<<1, 1>>>(d_out.data(), d_in.data(), 50);
  expect_nothing_found();
  copy_kernel<<<1, 1>>>(d_out.data(), d_in.data(), 51);
  expect_one_place("out_of_bounds", "at byte 50 of an allocation of 50 bytes", kCopyLine, "load");
}

TEST_F(MemoryFunctions, MemcpyOfNothingAccessesNothing) {
  DeviceBuffer<char> d_out(1);
  copy_kernel<<<1, 1>>>(d_out.data() + 1, nullptr, 0);
  expect_nothing_found();
}

TEST_F(MemoryFunctions, MemcpyOfUnwrittenMemory) {
  DeviceBuffer<char> d_out(64), d_in(64);
  copy_kernel<<<1, 1>>>(d_out.data(), d_in.data(), 64);
  expect_one_place("uninitialised", "before anything has written it", kCopyLine, "load");
}

__global__ void all_to_one_place_kernel(float4* out, const float4* in) {
  memcpy(out, in + 4 * threadIdx.x, 4 * sizeof *in);
}

TEST_F(MemoryFunctions, MemcpyRaces) {
  DeviceBuffer<float4> d_out(4), d_in(64 * 4);
  d_in.fill_bytes(0);
  all_to_one_place_kernel<<<1, 1>>>(d_out.data(), d_in.data());
  expect_nothing_found();
  all_to_one_place_kernel<<<1, 64>>>(d_out.data(), d_in.data());
  EXPECT_EQ(only_finding().kind, "race");
}

__global__ void library_copy_kernel(int* out, const int* in, int count) {
  std::copy(in, in + count, out);
}
__global__ void library_fill_kernel(char* out) { std::fill_n(out, 40, char{0}); }
__global__ void move_kernel(int* values) { memmove(values + 1, values, 9 * sizeof *values); }
__global__ void compare_kernel(const int* a, const int* b, int* is_equal) {
  *is_equal = memcmp(a, b, 8 * sizeof *a) == 0;
}

TEST_F(MemoryFunctions, OfTheLibrary) {
  DeviceBuffer<int> d_out(9), d_in(10);
  d_in.fill_bytes(0);
  library_copy_kernel<<<1, 1>>>(d_out.data(), d_in.data(), 9);
  expect_nothing_found();
  library_copy_kernel<<<1, 1>>>(d_out.data(), d_in.data(), 10);
  EXPECT_EQ(only_finding().kind, "out_of_bounds");
  CUDA_CHECK(cudaDeviceReset());
  DeviceBuffer<char> d_bytes(39);
  library_fill_kernel<<<1, 1>>>(d_bytes.data());
  EXPECT_EQ(only_finding().kind, "out_of_bounds");
}

TEST_F(MemoryFunctions, MoveAndCompare) {
  DeviceBuffer<int> d_values(std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  DeviceBuffer<int> d_same(std::vector<int>{1, 1, 2, 3, 4, 5, 6, 7});
  DeviceBuffer<int> d_is_equal(1);
  move_kernel<<<1, 1>>>(d_values.data());
  compare_kernel<<<1, 1>>>(d_values.data(), d_same.data(), d_is_equal.data());
  expect_nothing_found();
  EXPECT_EQ(d_values.to_host(), (std::vector<int>{1, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(d_is_equal.to_host(), std::vector<int>{1});
  compare_kernel<<<1, 1>>>(d_values.data() + 3, d_same.data(), d_is_equal.data());
  EXPECT_EQ(only_finding().kind, "out_of_bounds");
}

// 32 threads with 64 bytes each, 8 bytes at a time: one sector per thread.
__global__ void copy_each_kernel(float4* out, const float4* in) {
  memcpy(out + 4 * threadIdx.x, in + 4 * threadIdx.x, 4 * sizeof *in);
}

TEST_F(MemoryFunctions, AreCounted) {
  DeviceBuffer<float4> d_out(4 * 32), d_in(4 * 32);
  d_in.fill_bytes(0);
  const auto launch = [&] { copy_each_kernel<<<1, 32>>>(d_out.data(), d_in.data()); };
  EXPECT_EQ(cost_of(MemorySpace::global, AccessKind::load, launch), (Cost{8, 8 * 32, 8 * 32}));
  EXPECT_EQ(cost_of(MemorySpace::global, AccessKind::store, launch), (Cost{8, 8 * 32, 8 * 32}));
}

// A thread's own array is neither global nor shared memory.
__global__ void own_copy_kernel(const float4* in, float* out) {
  float own[16];
  memcpy(own, in, sizeof own);
  out[0] = own[out[0] > 0 ? 3 : 5];
}

TEST_F(MemoryFunctions, OfAThreadsOwnArrayAreNotCounted) {
  DeviceBuffer<float4> d_in(4);
  DeviceBuffer<float> d_out(1);
  d_in.fill_bytes(0);
  d_out.fill_bytes(0);
  const auto launch = [&] { own_copy_kernel<<<1, 1>>>(d_in.data(), d_out.data()); };
  EXPECT_EQ(cost_of(MemorySpace::global, AccessKind::store, launch), (Cost{1, 1, 1}));
  expect_nothing_found();
}

}  // namespace
