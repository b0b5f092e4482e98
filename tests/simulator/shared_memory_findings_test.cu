#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "expect_findings.h"

// Accesses to shared memory that leave an array or what the launch gave.

namespace {

class SharedMemory : public FindingsTest {};

// The types of a kernel's parameters are in the names of its __shared__ variables, and CUDA's own
// types are the simulator's.
template <typename Small>
__global__ void block_sum_of_small_kernel(const Small* in, Small* out, int first) {
  __shared__ Small values[32];
  __shared__ float sum;
  const int i = static_cast<int>(threadIdx.x) + first;
  values[i] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    sum = 0;
    for (const Small value : values) sum += static_cast<float>(value);
    *out = sum;
  }
}

__global__ void copy_half_kernel(const __half* in, __half* out) {
  __shared__ __half value;
  if (threadIdx.x == 0) value = in[0];
  __syncthreads();
  out[threadIdx.x] = value;
}

template <typename Small>
void expect_sum_of_small() {
  const DeviceBuffer<Small> d_in(std::vector<Small>(32, Small(1.5f)));
  DeviceBuffer<Small> d_out(1);
  block_sum_of_small_kernel<<<1, 32>>>(d_in.data(), d_out.data(), 0);
  EXPECT_EQ(static_cast<float>(d_out.to_host()[0]), 48.0f);
  cudaFuncAttributes attributes;
  ASSERT_EQ(cudaFuncGetAttributes(&attributes, block_sum_of_small_kernel<Small>), cudaSuccess);
  EXPECT_EQ(attributes.sharedSizeBytes, 32 * sizeof(Small) + sizeof(float));
  expect_nothing_found();
  block_sum_of_small_kernel<<<1, 32>>>(d_in.data(), d_out.data(), 1);
  EXPECT_EQ(only_finding().kind, "out_of_bounds");
  cudaDeviceReset();
}

TEST_F(SharedMemory, OfAKernelWithSmallFloats) {
  expect_sum_of_small<__half>();
  expect_sum_of_small<__nv_bfloat16>();
  const DeviceBuffer<__half> d_in(std::vector<__half>(1, __half(2.0f)));
  DeviceBuffer<__half> d_out(32);
  copy_half_kernel<<<1, 32>>>(d_in.data(), d_out.data());
  EXPECT_EQ(static_cast<float>(d_out.to_host()[31]), 2.0f);
  expect_nothing_found();
}

__global__ void shared_index_kernel(int index, float* out) {
  __shared__ float tile[8][32];
  for (int row = 0; row < 8 && threadIdx.x < 32; ++row) tile[row][threadIdx.x] = 1.0f;
  __syncthreads();
  out[threadIdx.x] = tile[index][threadIdx.x];
}
constexpr int kSharedIndexLine = __LINE__ - 2;

TEST_F(SharedMemory, IndexOutsideAStaticArray) {
  DeviceBuffer<float> d_out(32);
  shared_index_kernel<<<1, 32>>>(7, d_out.data());
  expect_nothing_found();
  shared_index_kernel<<<1, 32>>>(8, d_out.data());
  expect_one_place("array_index", "index 8 is outside the array, of type 'float [8][32]'",
                   kSharedIndexLine, "index");
}

TEST_F(SharedMemory, IndexOutsideARowOfAStaticArray) {
  DeviceBuffer<float> d_out(33);
  shared_index_kernel<<<1, 33>>>(2, d_out.data());
  expect_one_place("array_index", "index 32 is outside the array, of type 'float [32]'",
                   kSharedIndexLine, "index", {32, 0, 0});
}

template <typename T>
__global__ void dynamic_store_kernel(int index) {
  extern __shared__ __align__(16) char dynamic_bytes[];
  if (threadIdx.x == 9) reinterpret_cast<T*>(dynamic_bytes)[index] = T{};
}
constexpr int kDynamicStoreLine = __LINE__ - 2;

template <typename T>
void expect_dynamic_end() {
  constexpr int kBytes = static_cast<int>(10 * sizeof(T));
  dynamic_store_kernel<T><<<1, 32, kBytes>>>(9);
  expect_nothing_found();
  dynamic_store_kernel<T><<<1, 32, kBytes>>>(10);
  const std::string size = std::to_string(kBytes);
  expect_one_place(
      "out_of_bounds",
      "byte " + size + " of extern __shared__ memory; the launch gave the block " + size + " bytes",
      kDynamicStoreLine, "store", {9, 0, 0});
  CUDA_CHECK(cudaDeviceReset());
}

TEST_F(SharedMemory, OnePastTheEndOfDynamicMemory) {
  expect_dynamic_end<char>();
  expect_dynamic_end<float>();
  expect_dynamic_end<double>();
  expect_dynamic_end<float4>();
}

TEST_F(SharedMemory, DynamicMemoryThatTheLaunchForgot) {
  dynamic_store_kernel<float><<<1, 32>>>(0);
  const Finding finding =
      expect_one_place("out_of_bounds", "the launch gave the block 0 bytes of it",
                       kDynamicStoreLine, "store", {9, 0, 0});
  EXPECT_EQ(facts_of(finding),
            "finding=out_of_bounds access=store thread=9 block=0 memory=shared array=dynamic");
  expect_device_lost(cudaErrorIllegalAddress);
}

TEST_F(SharedMemory, VectorThatEndsPastDynamicMemory) {
  dynamic_store_kernel<float4><<<1, 32, 24>>>(1);
  expect_one_place("out_of_bounds",
                   "byte 16 of extern __shared__ memory; the launch gave the block 24 bytes",
                   kDynamicStoreLine, "store", {9, 0, 0});
}

__global__ void shared_pointer_kernel(int offset) {
  __shared__ float values[32];
  float* const pointer = values;
  pointer[threadIdx.x] = 0;
  pointer[static_cast<int>(threadIdx.x) + offset] = 1;
}
constexpr int kSharedPointerLine = __LINE__ - 2;

TEST_F(SharedMemory, PointerFarOutsideAStaticArray) {
  shared_pointer_kernel<<<1, 32>>>(0);
  expect_nothing_found();
  shared_pointer_kernel<<<1, 1>>>(1 << 26);
  const Finding finding = only_finding();
  EXPECT_EQ(finding.places[0].line, kSharedPointerLine);
}

// Two arrays of a length that leaves no gap by itself, and one of no round length.
template <typename T>
__device__ void set(T* array, int index) {
  array[index] = T{1};
}
constexpr int kSetLine = __LINE__ - 2;

enum class Into { first, second, bytes };

__global__ void neighbours_kernel(Into array, int index) {
  __shared__ int first[64], second[64];
  __shared__ char bytes[13];
  if (array == Into::first) set(first, index);
  if (array == Into::second) set(second, index);
  if (array == Into::bytes) set(bytes, index);
}

void expect_outside(Into array, int index, const std::string& words) {
  neighbours_kernel<<<1, 1>>>(array, index);
  const Finding finding = expect_one_place("out_of_bounds", words, kSetLine, "store");
  EXPECT_NE(finding.message.find("a __shared__ variable of"), std::string::npos);
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
}

TEST_F(SharedMemory, PointerFromOneArrayTowardsTheNext) {
  for (const Into array : {Into::first, Into::second}) {
    const std::string name = array == Into::first ? "first" : "second";
    neighbours_kernel<<<1, 1>>>(array, 0);
    neighbours_kernel<<<1, 1>>>(array, 63);
    expect_nothing_found();
    expect_outside(array, 64, "at byte 256 of " + name);
    expect_outside(array, -1, "4 bytes before the start of " + name);
    expect_outside(array, 500, "at byte 2000 of " + name);
  }
  neighbours_kernel<<<1, 1>>>(Into::bytes, 12);
  expect_nothing_found();
  expect_outside(Into::bytes, 13, "at byte 13 of bytes, a __shared__ variable of 13 bytes");
}

// Of a template, which has sections of its own in the program.
template <int kSize>
__global__ void neighbours_in_template_kernel(int index) {
  __shared__ float first[kSize], second[kSize];
  set(first, 0);
  set(second, index);
  set(first, index);
}

TEST_F(SharedMemory, PointerFromOneArrayOfATemplateTowardsTheNext) {
  neighbours_in_template_kernel<32><<<1, 1>>>(31);
  neighbours_in_template_kernel<64><<<1, 1>>>(63);
  expect_nothing_found();
  neighbours_in_template_kernel<32><<<1, 1>>>(32);
  expect_one_place("out_of_bounds", "at byte 128 of second", kSetLine, "store");
}

__global__ void shared_misaligned_kernel(int offset) {
  __shared__ __align__(16) float values[32];
  *reinterpret_cast<float2*>(values + offset) = make_float2(1, 2);
}
constexpr int kSharedMisalignedLine = __LINE__ - 2;

TEST_F(SharedMemory, Misaligned) {
  shared_misaligned_kernel<<<1, 1>>>(2);
  expect_nothing_found();
  shared_misaligned_kernel<<<1, 1>>>(1);
  expect_one_place("misaligned", "8 bytes must be at a multiple of 8; this address is 4 past one",
                   kSharedMisalignedLine, "store");
  expect_device_lost(cudaErrorMisalignedAddress);
}

}  // namespace
