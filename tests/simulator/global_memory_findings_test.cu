#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "expect_findings.h"

// Accesses to global memory that cannot be made: each is found, at the right place. Beside each
// wrong kernel a right one that looks much like it.

namespace {

class GlobalMemory : public FindingsTest {};

template <typename T>
__global__ void store_kernel(T* out, std::ptrdiff_t index) {
  if (threadIdx.x == 5) out[index] = T{};
}
constexpr int kStoreLine = __LINE__ - 2, kStoreColumn = 36;

template <typename T>
__global__ void load_kernel(const T* in, std::ptrdiff_t index, T* out) {
  if (blockIdx.x == 1 && threadIdx.x == 5) *out = in[index];
}
constexpr int kLoadLine = __LINE__ - 2;

template <typename T>
void expect_last_element_is_the_end() {
  DeviceBuffer<T> d_values(100), d_one(1);
  store_kernel<<<1, 32>>>(d_values.data(), 0);
  store_kernel<<<1, 32>>>(d_values.data(), 99);
  load_kernel<<<2, 32>>>(d_values.data(), 0, d_one.data());
  load_kernel<<<2, 32>>>(d_values.data(), 99, d_one.data());
  expect_nothing_found();

  store_kernel<<<1, 32>>>(d_values.data(), 100);
  const std::string size = std::to_string(100 * sizeof(T));
  expect_one_place("out_of_bounds",
                   "at byte " + size + " of an allocation of " + size +
                       " bytes, which is element 100 of an array of 100",
                   kStoreLine, "store", {5, 0, 0});
  CUDA_CHECK(cudaDeviceReset());
}

TEST_F(GlobalMemory, OnePastTheEndOf1ByteElements) { expect_last_element_is_the_end<char>(); }
TEST_F(GlobalMemory, OnePastTheEndOf2ByteElements) { expect_last_element_is_the_end<short>(); }
TEST_F(GlobalMemory, OnePastTheEndOf4ByteElements) { expect_last_element_is_the_end<float>(); }
TEST_F(GlobalMemory, OnePastTheEndOf8ByteElements) { expect_last_element_is_the_end<double>(); }
TEST_F(GlobalMemory, OnePastTheEndOf16ByteElements) { expect_last_element_is_the_end<float4>(); }

TEST_F(GlobalMemory, ReadPastTheEnd) {
  DeviceBuffer<float> d_values(100), d_one(1);
  load_kernel<<<3, 32>>>(d_values.data(), 100, d_one.data());
  const Finding finding = expect_one_place("out_of_bounds", "element 100 of an array of 100",
                                           kLoadLine, "load", {5, 0, 0}, {1, 0, 0});
  EXPECT_EQ(facts_of(finding),
            "finding=out_of_bounds access=load thread=5 block=1 memory=global where=behind");
  expect_device_lost(cudaErrorIllegalAddress);
}

TEST_F(GlobalMemory, BeforeTheStart) {
  DeviceBuffer<float> d_values(100);
  store_kernel<<<1, 32>>>(d_values.data(), -1);
  const Finding finding =
      expect_one_place("out_of_bounds", "4 bytes before the start of an allocation of 400 bytes",
                       kStoreLine, "store", {5, 0, 0});
  EXPECT_EQ(facts_of(finding),
            "finding=out_of_bounds access=store thread=5 block=0 memory=global where=before");
}

TEST_F(GlobalMemory, FarAway) {
  DeviceBuffer<float> d_values(100);
  store_kernel<<<1, 32>>>(d_values.data(), std::ptrdiff_t{1} << 28);
  expect_one_place("out_of_bounds", "at byte 1073741824 of an allocation of 400 bytes", kStoreLine,
                   "store", {5, 0, 0});
}

// Of 3 floats: the second float2 ends at byte 16 of 12.
TEST_F(GlobalMemory, HalfOfAVectorPastTheEnd) {
  DeviceBuffer<float> d_values(3);
  store_kernel<<<1, 32>>>(reinterpret_cast<float2*>(d_values.data()), 0);
  expect_nothing_found();
  store_kernel<<<1, 32>>>(reinterpret_cast<float2*>(d_values.data()), 1);
  expect_one_place("out_of_bounds", "at byte 8 of an allocation of 12 bytes", kStoreLine, "store",
                   {5, 0, 0});
}

TEST_F(GlobalMemory, ColumnIsThatOfTheAccess) {
  DeviceBuffer<float> d_values(1);
  store_kernel<<<1, 32>>>(d_values.data(), 1);
  EXPECT_EQ(only_finding().places[0].column, kStoreColumn);
}

__global__ void two_loads_kernel(const float* a, const float* b, float* out, int i) {
  *out = a[i] * b[i + 1];
}
constexpr int kTwoLoadsLine = __LINE__ - 2;
constexpr int kFirstLoadColumn = 13, kSecondLoadColumn = 24;  // of the closing brackets

TEST_F(GlobalMemory, ColumnTellsTwoAccessesOfALineApart) {
  DeviceBuffer<float> d_a(4), d_b(4), d_out(1);
  for (DeviceBuffer<float>* d_buffer : {&d_a, &d_b}) d_buffer->fill_bytes(0);
  two_loads_kernel<<<1, 1>>>(d_a.data(), d_b.data(), d_out.data(), 3);
  const Finding second = only_finding();
  EXPECT_EQ(second.places[0].line, kTwoLoadsLine);
  EXPECT_EQ(second.places[0].column, kSecondLoadColumn);
  CUDA_CHECK(cudaDeviceReset());

  DeviceBuffer<float> d_short(3), d_long(5), d_one(1);
  d_long.fill_bytes(0);
  two_loads_kernel<<<1, 1>>>(d_short.data(), d_long.data(), d_one.data(), 3);
  EXPECT_EQ(only_finding().places[0].column, kFirstLoadColumn);
}

__global__ void coordinates_kernel(int* out) {
  const uint3 t = threadIdx, b = blockIdx;
  if (t.x == 3 && t.y == 2 && t.z == 1 && b.x == 1 && b.y == 2 && b.z == 3) out[1] = 0;
}
constexpr int kCoordinatesLine = __LINE__ - 2;

TEST_F(GlobalMemory, ThreadAndBlockHaveThreeCoordinates) {
  DeviceBuffer<int> d_out(1);
  coordinates_kernel<<<dim3(2, 3, 4), dim3(4, 4, 2)>>>(d_out.data());
  expect_one_place("out_of_bounds", "element 1 of an array of 1", kCoordinatesLine, "store",
                   {3, 2, 1}, {1, 2, 3});
}

TEST_F(GlobalMemory, FindingNamesTheKernel) {
  DeviceBuffer<int> d_out(1);
  coordinates_kernel<<<dim3(2, 3, 4), dim3(4, 4, 2)>>>(d_out.data());
  EXPECT_EQ(only_finding().kernel, "coordinates_kernel");
}

TEST_F(GlobalMemory, LaterBlocksDoNotRun) {
  DeviceBuffer<int> d_values(1);
  store_kernel<<<4, 32>>>(d_values.data(), 1);
  EXPECT_EQ(only_finding().count, 1u);
}

TEST_F(GlobalMemory, FreedMemory) {
  float* d_pointer = nullptr;
  CUDA_CHECK(cudaMalloc(&d_pointer, 400));
  store_kernel<<<1, 32>>>(d_pointer, 3);
  expect_nothing_found();
  CUDA_CHECK(cudaFree(d_pointer));
  store_kernel<<<1, 32>>>(d_pointer, 3);
  expect_one_place("freed_memory", "cudaFree has already taken back", kStoreLine, "store",
                   {5, 0, 0});
  expect_device_lost(cudaErrorIllegalAddress);
}

TEST_F(GlobalMemory, NullPointer) {
  store_kernel<float><<<1, 32>>>(nullptr, 7);
  expect_one_place("null_pointer", "a null pointer", kStoreLine, "store", {5, 0, 0});
  expect_device_lost(cudaErrorIllegalAddress);
}

__global__ void null_if_used_kernel(const float* optional, float* out) {
  *out = optional ? *optional : 1.0f;
}

TEST_F(GlobalMemory, NullPointerThatIsNotFollowed) {
  DeviceBuffer<float> d_out(1);
  null_if_used_kernel<<<1, 1>>>(nullptr, d_out.data());
  expect_nothing_found();
  EXPECT_EQ(d_out.to_host(), std::vector<float>{1.0f});
}

TEST_F(GlobalMemory, HostPointer) {
  std::vector<float> h_values(100);
  store_kernel<<<1, 32>>>(h_values.data(), 7);
  expect_one_place("host_pointer", "not device memory", kStoreLine, "store", {5, 0, 0});
  expect_device_lost(cudaErrorIllegalAddress);
}

TEST_F(GlobalMemory, HostPointerToTheStack) {
  float h_values[100] = {};
  store_kernel<<<1, 32>>>(h_values, 7);
  expect_one_place("host_pointer", "not device memory", kStoreLine, "store", {5, 0, 0});
}

TEST_F(GlobalMemory, PinnedAndManagedPointersAreNoHostPointers) {
  float *h_pinned = nullptr, *managed = nullptr;
  CUDA_CHECK(cudaMallocHost(&h_pinned, 40));
  CUDA_CHECK(cudaMallocManaged(&managed, 40));
  store_kernel<<<1, 32>>>(h_pinned, 9);
  store_kernel<<<1, 32>>>(managed, 9);
  expect_nothing_found();
  store_kernel<<<1, 32>>>(managed, 10);
  expect_one_place("out_of_bounds", "element 10 of an array of 10", kStoreLine, "store", {5, 0, 0});
}

TEST_F(GlobalMemory, Misaligned) {
  DeviceBuffer<float> d_values(100);
  store_kernel<<<1, 32>>>(reinterpret_cast<float2*>(d_values.data() + 2), 0);
  store_kernel<<<1, 32>>>(reinterpret_cast<float4*>(d_values.data() + 4), 0);
  expect_nothing_found();
  store_kernel<<<1, 32>>>(reinterpret_cast<float4*>(d_values.data() + 2), 0);
  expect_one_place("misaligned", "16 bytes must be at a multiple of 16; this address is 8 past one",
                   kStoreLine, "store", {5, 0, 0});
  expect_device_lost(cudaErrorMisalignedAddress);
}

TEST_F(GlobalMemory, MisalignedFloat) {
  DeviceBuffer<char> d_bytes(100);
  store_kernel<<<1, 32>>>(reinterpret_cast<float*>(d_bytes.data() + 1), 3);
  expect_one_place("misaligned", "4 bytes must be at a multiple of 4; this address is 1 past one",
                   kStoreLine, "store", {5, 0, 0});
}

__global__ void atomic_kernel(int* counters, int index) { atomicAdd(&counters[index], 1); }
constexpr int kAtomicLine = __LINE__ - 1;

TEST_F(GlobalMemory, AtomicPastTheEnd) {
  DeviceBuffer<int> d_counters(10);
  d_counters.fill_bytes(0);
  atomic_kernel<<<1, 1>>>(d_counters.data(), 9);
  expect_nothing_found();
  atomic_kernel<<<1, 1>>>(d_counters.data(), 10);
  expect_one_place("out_of_bounds", "element 10 of an array of 10", kAtomicLine, "atomic");
}

__global__ void cached_load_kernel(const int* in, int index, int* out) { *out = __ldg(&in[index]); }
constexpr int kCachedLoadLine = __LINE__ - 1;

TEST_F(GlobalMemory, CachedLoadPastTheEnd) {
  DeviceBuffer<int> d_values(10), d_one(1);
  d_values.fill_bytes(0);
  cached_load_kernel<<<1, 1>>>(d_values.data(), 9, d_one.data());
  expect_nothing_found();
  cached_load_kernel<<<1, 1>>>(d_values.data(), 10, d_one.data());
  expect_one_place("out_of_bounds", "element 10 of an array of 10", kCachedLoadLine, "load");
}

TEST_F(GlobalMemory, ErrorOfOneKernelKeepsTheNextFromRunning) {
  DeviceBuffer<float> d_values(1);
  store_kernel<<<1, 32>>>(d_values.data(), 1);
  store_kernel<<<1, 32>>>(d_values.data(), -1);  // is not run
  EXPECT_EQ(only_finding().places[0].line, kStoreLine);
}

}  // namespace
