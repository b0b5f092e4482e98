#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include "expect_findings.h"

// Each wrong kernel is caught, at the right place; beside each, a right kernel that looks much like
// it is not.

namespace {

// ---- Global memory ----

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
  expect_one_place("out_of_bounds", "element 100 of an array of 100", kLoadLine, "load", {5, 0, 0},
                   {1, 0, 0});
  expect_device_lost(cudaErrorIllegalAddress);
}

TEST_F(GlobalMemory, BeforeTheStart) {
  DeviceBuffer<float> d_values(100);
  store_kernel<<<1, 32>>>(d_values.data(), -1);
  expect_one_place("out_of_bounds", "4 bytes before the start of an allocation of 400 bytes",
                   kStoreLine, "store", {5, 0, 0});
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

// ---- __device__ and __constant__ variables ----

class Variables : public FindingsTest {};

__constant__ int constants[4];
__device__ int totals[4];
__global__ void write_constant_kernel(int index) { const_cast<int*>(constants)[index] = 1; }
constexpr int kWriteConstantLine = __LINE__ - 1;
__global__ void read_constant_kernel(int index, int* out) { *out = constants[index]; }

TEST_F(Variables, ConstantMemoryIsReadOnly) {
  DeviceBuffer<int> d_out(1);
  read_constant_kernel<<<1, 1>>>(3, d_out.data());
  expect_nothing_found();
  write_constant_kernel<<<1, 1>>>(2);
  const Finding finding = expect_one_place(
      "out_of_bounds", "a kernel may only read __constant__ memory", kWriteConstantLine, "store");
  EXPECT_NE(finding.message.find("constants"), std::string::npos) << finding.message;
  expect_device_lost(cudaErrorIllegalAddress);
}

__global__ void set_total_kernel(int index) { totals[index] = 1; }
constexpr int kSetTotalLine = __LINE__ - 1, kSetTotalColumn = 59;

TEST_F(Variables, IndexOutsideADeviceArray) {
  set_total_kernel<<<1, 1>>>(3);
  expect_nothing_found();
  set_total_kernel<<<2, 3>>>(4);
  expect_one_place("array_index", "index 4 is outside the array, of type 'int [4]'", kSetTotalLine,
                   "index");
  expect_device_lost(cudaErrorIllegalAddress);
}

TEST_F(Variables, IndexBeforeADeviceArray) {
  set_total_kernel<<<1, 1>>>(-1);
  const Finding finding =
      expect_one_place("array_index", "index -1 is outside the array", kSetTotalLine, "index");
  EXPECT_EQ(finding.places[0].column, kSetTotalColumn);
}

__global__ void through_a_pointer_kernel(int* pointer, int index) { pointer[index] = 1; }
constexpr int kThroughAPointerLine = __LINE__ - 1;

TEST_F(Variables, PointerThatLeavesADeviceArray) {
  int* d_totals = nullptr;
  CUDA_CHECK(cudaGetSymbolAddress(reinterpret_cast<void**>(&d_totals), totals));
  through_a_pointer_kernel<<<1, 1>>>(d_totals, 3);
  expect_nothing_found();
  through_a_pointer_kernel<<<1, 1>>>(d_totals, 1 << 28);
  const Finding finding = only_finding();
  EXPECT_EQ(finding.places[0].line, kThroughAPointerLine);
}

__global__ void local_array_kernel(int* out, int index) {
  int values[4] = {1, 2, 3, 4};
  *out = values[index];
}
constexpr int kLocalArrayLine = __LINE__ - 2;

TEST_F(Variables, IndexOutsideALocalArray) {
  DeviceBuffer<int> d_out(1);
  local_array_kernel<<<1, 1>>>(d_out.data(), 3);
  expect_nothing_found();
  local_array_kernel<<<1, 1>>>(d_out.data(), 4);
  expect_one_place("array_index", "index 4 is outside the array, of type 'int [4]'",
                   kLocalArrayLine, "index");
}

// ---- Shared memory ----

class SharedMemory : public FindingsTest {};

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
  expect_one_place("out_of_bounds", "the launch gave the block 0 bytes of it", kDynamicStoreLine,
                   "store", {9, 0, 0});
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

// ---- Races ----

class Races : public FindingsTest {
 protected:
  DeviceBuffer<int> d_out{1024};
};

// The places are in the order of the source.
Finding expect_race(const std::string& words, int first_line, const std::string& first_operation,
                    Index first_thread, int second_line, const std::string& second_operation,
                    Index second_thread) {
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, "race");
  EXPECT_NE(finding.message.find(words), std::string::npos) << finding.message;
  EXPECT_EQ(finding.places.size(), 2u);
  if (finding.places.size() == 2) {
    expect_place(finding.places[0], first_line, first_operation, first_thread, {0, 0, 0});
    expect_place(finding.places[1], second_line, second_operation, second_thread, {0, 0, 0});
  }
  return finding;
}

template <bool kWithBarrier>
__global__ void reverse_kernel(int* out) {
  __shared__ int values[64];
  values[threadIdx.x] = static_cast<int>(threadIdx.x);
  if (kWithBarrier) __syncthreads();
  out[threadIdx.x] = values[63 - threadIdx.x];
}
constexpr int kReverseStoreLine = __LINE__ - 4, kReverseLoadLine = __LINE__ - 2;

TEST_F(Races, AcrossWarps) {
  reverse_kernel<true><<<1, 64>>>(d_out.data());
  expect_nothing_found();
  reverse_kernel<false><<<1, 64>>>(d_out.data());
  // Threads 0 to 31 read what nobody has written yet; thread 32 is the first to write what another
  // has read.
  const Finding finding = expect_race("race on values in shared memory", kReverseStoreLine, "store",
                                      {32, 0, 0}, kReverseLoadLine, "load", {31, 0, 0});
  EXPECT_EQ(finding.count,
            64u);  // threads 32 to 63 race with their store and again with their load
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(Races, MessageAsksForABarrier) {
  reverse_kernel<false><<<1, 64>>>(d_out.data());
  EXPECT_NE(only_finding().message.find("no __syncthreads() is between"), std::string::npos);
}

enum class Between { nothing, syncwarp, shuffle, half_syncwarp };

template <Between kBetween>
__global__ void exchange_kernel(int* out) {
  __shared__ int values[32];
  values[threadIdx.x] = static_cast<int>(threadIdx.x);
  if (kBetween == Between::syncwarp) __syncwarp();
  if (kBetween == Between::shuffle) out[32 + threadIdx.x] = __shfl_sync(0xffffffffu, 1, 0);
  if (kBetween == Between::half_syncwarp) __syncwarp(threadIdx.x < 16 ? 0x0000ffffu : 0xffff0000u);
  out[threadIdx.x] = values[threadIdx.x ^ 16];
}
constexpr int kExchangeStoreLine = __LINE__ - 6, kExchangeLoadLine = __LINE__ - 2;

TEST_F(Races, WithinAWarp) {
  exchange_kernel<Between::nothing><<<1, 32>>>(d_out.data());
  expect_race("no __syncwarp() or __syncthreads() is between", kExchangeStoreLine, "store",
              {16, 0, 0}, kExchangeLoadLine, "load", {0, 0, 0});
}

TEST_F(Races, SyncwarpOrdersAWarp) {
  exchange_kernel<Between::syncwarp><<<1, 32>>>(d_out.data());
  expect_nothing_found();
}

TEST_F(Races, ShuffleOrdersAWarp) {
  exchange_kernel<Between::shuffle><<<1, 32>>>(d_out.data());
  expect_nothing_found();
}

TEST_F(Races, SyncwarpOrdersOnlyItsMask) {
  exchange_kernel<Between::half_syncwarp><<<1, 32>>>(d_out.data());
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, "race");
}

__global__ void syncwarp_between_warps_kernel(int* out) {
  __shared__ int values[64];
  values[threadIdx.x] = 1;
  __syncwarp();
  out[threadIdx.x] = values[threadIdx.x ^ 32];
}

TEST_F(Races, SyncwarpDoesNotOrderTwoWarps) {
  syncwarp_between_warps_kernel<<<1, 64>>>(d_out.data());
  EXPECT_EQ(only_finding().kind, "race");
}

__global__ void write_write_kernel(int* out, int writers) {
  __shared__ int value;
  if (threadIdx.x < static_cast<unsigned>(writers)) value = static_cast<int>(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = value;
}
constexpr int kWriteWriteLine = __LINE__ - 4;

TEST_F(Races, WriteAndWrite) {
  write_write_kernel<<<1, 64>>>(d_out.data(), 1);
  expect_nothing_found();
  write_write_kernel<<<1, 64>>>(d_out.data(), 2);
  expect_race("race on value in", kWriteWriteLine, "store", {0, 0, 0}, kWriteWriteLine, "store",
              {1, 0, 0});
}

TEST_F(Races, RepeatsAreCounted) {  // thread n races with thread n - 1
  write_write_kernel<<<1, 64>>>(d_out.data(), 64);
  EXPECT_EQ(only_finding().count, 63u);
}

__global__ void read_read_kernel(int* out) {
  __shared__ int value;
  if (threadIdx.x == 0) value = 7;
  __syncthreads();
  out[threadIdx.x] = value + static_cast<int>(threadIdx.x);
}

TEST_F(Races, ReadAndReadIsNone) {
  read_read_kernel<<<1, 128>>>(d_out.data());
  expect_nothing_found();
}

template <bool kPlainStore>
__global__ void count_kernel(int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, 1);
  if (kPlainStore && threadIdx.x == 40) count = 0;
  __syncthreads();
  out[threadIdx.x] = count;
}
constexpr int kCountAtomicLine = __LINE__ - 5, kCountStoreLine = __LINE__ - 4;

TEST_F(Races, AtomicsDoNotRace) {
  count_kernel<false><<<1, 128>>>(d_out.data());
  expect_nothing_found();
}

TEST_F(Races, AtomicAgainstPlainStore) {
  count_kernel<true><<<1, 41>>>(d_out.data());
  expect_race("race on count in", kCountAtomicLine, "atomic", {0, 0, 0}, kCountStoreLine, "store",
              {40, 0, 0});
}

template <typename T>
__global__ void neighbours_kernel(int* out, int shift) {
  __shared__ T values[64];
  values[threadIdx.x] = static_cast<T>(threadIdx.x);
  out[threadIdx.x] = values[(threadIdx.x + static_cast<unsigned>(shift)) % 64];
}

TEST_F(Races, NeighboursInAWordAreNone) {
  neighbours_kernel<char><<<1, 64>>>(d_out.data(), 0);
  neighbours_kernel<short><<<1, 64>>>(d_out.data(), 0);
  expect_nothing_found();
}

TEST_F(Races, ByteOfAnotherThread) {
  neighbours_kernel<char><<<1, 64>>>(d_out.data(), 1);
  EXPECT_EQ(only_finding().kind, "race");
}

__global__ void two_barriers_kernel(int* out) {
  __shared__ int values[2][64];
  for (int round = 0; round < 6; ++round) {
    values[round % 2][threadIdx.x] = round;
    __syncthreads();
    out[threadIdx.x] = values[round % 2][63 - threadIdx.x];
  }
}

TEST_F(Races, DoubleBufferNeedsOneBarrierARound) {
  two_barriers_kernel<<<1, 64>>>(d_out.data());
  expect_nothing_found();
}

template <bool kSecondBarrier>
__global__ void single_buffer_kernel(int* out) {
  __shared__ int values[64];
  for (int round = 0; round < 2; ++round) {
    values[threadIdx.x] = round;
    __syncthreads();
    out[threadIdx.x] = values[63 - threadIdx.x];
    if (kSecondBarrier) __syncthreads();
  }
}
constexpr int kSingleBufferStoreLine = __LINE__ - 6, kSingleBufferLoadLine = __LINE__ - 4;

TEST_F(Races, SingleBufferNeedsTwo) {
  single_buffer_kernel<true><<<1, 64>>>(d_out.data());
  expect_nothing_found();
  single_buffer_kernel<false><<<1, 64>>>(d_out.data());
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, "race");
  EXPECT_EQ(finding.places[0].line, kSingleBufferStoreLine);
  EXPECT_EQ(finding.places[1].line, kSingleBufferLoadLine);
}

__global__ void one_thread_kernel(int* out) {
  __shared__ int value;
  if (threadIdx.x == 0) value = static_cast<int>(blockIdx.x);
  if (threadIdx.x == 0) out[blockIdx.x] = value;
}

TEST_F(Races, BlocksDoNotShare) {
  one_thread_kernel<<<8, 32>>>(d_out.data());
  expect_nothing_found();
}

__global__ void dynamic_race_kernel(int* out) {
  extern __shared__ int dynamic_values[];
  dynamic_values[threadIdx.x] = 1;
  out[threadIdx.x] = dynamic_values[threadIdx.x ^ 1];
}

TEST_F(Races, InDynamicMemory) {
  dynamic_race_kernel<<<1, 64, 64 * sizeof(int)>>>(d_out.data());
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, "race");
  EXPECT_NE(finding.message.find("race on extern __shared__ memory"), std::string::npos)
      << finding.message;
}

__global__ void tree_kernel(int* out, int barrier_down_to) {
  __shared__ int sums[128];
  sums[threadIdx.x] = 1;
  __syncthreads();
  for (int stride = 64; stride > 0; stride /= 2) {
    if (static_cast<int>(threadIdx.x) < stride) sums[threadIdx.x] += sums[threadIdx.x + stride];
    if (stride > barrier_down_to) __syncthreads();
  }
  if (threadIdx.x == 0) *out = sums[0];
}
constexpr int kTreeLine = __LINE__ - 5;

TEST_F(Races, LastWarpOfATreeSum) {  // without volatile and __syncwarp, a well-known mistake
  tree_kernel<<<1, 128>>>(d_out.data(), 0);
  expect_nothing_found();
  tree_kernel<<<1, 128>>>(d_out.data(), 16);
  const auto findings = take_findings();
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].kind, "race");
  EXPECT_EQ(findings[0].places[0].line, kTreeLine);
}

// ---- Barriers ----

class Barriers : public FindingsTest {
 protected:
  DeviceBuffer<int> d_out{128};
};

__global__ void early_return_kernel(int* out, int size) {
  const int i = static_cast<int>(threadIdx.x);
  if (i >= size) return;
  __syncthreads();
  out[i] = i;
}
constexpr int kEarlyReturnLine = __LINE__ - 3;

TEST_F(Barriers, EarlyReturn) {
  early_return_kernel<<<1, 64>>>(d_out.data(), 64);
  expect_nothing_found();
  early_return_kernel<<<1, 64>>>(d_out.data(), 40);
  expect_one_place("barrier", "only 40 of 64 threads of the block reach this __syncthreads()",
                   kEarlyReturnLine, "wait");
}

TEST_F(Barriers, EarlyReturnOfWholeBlocksIsRight) {
  early_return_kernel<<<3, 64>>>(d_out.data(), 0);
  expect_nothing_found();
}

__global__ void barrier_in_if_kernel(int* out, int limit) {
  if (static_cast<int>(threadIdx.x) < limit) {
    __syncthreads();
  }
  out[threadIdx.x] = 1;
}
constexpr int kBarrierInIfLine = __LINE__ - 4;

TEST_F(Barriers, InAnIf) {
  barrier_in_if_kernel<<<1, 64>>>(d_out.data(), 64);
  expect_nothing_found();
  barrier_in_if_kernel<<<1, 64>>>(d_out.data(), 1);
  expect_one_place("barrier", "only 1 of 64 threads of the block reach this __syncthreads()",
                   kBarrierInIfLine, "wait");
}

__global__ void two_barriers_in_branches_kernel(int* out, unsigned limit) {
  if (threadIdx.x < limit) {
    __syncthreads();
  } else {
    __syncthreads();
  }
  out[threadIdx.x] = 1;
}
constexpr int kFirstBranchLine = __LINE__ - 6, kSecondBranchLine = __LINE__ - 4;

TEST_F(Barriers, TwoDifferentOnes) {
  two_barriers_in_branches_kernel<<<1, 64>>>(d_out.data(), 64);
  expect_nothing_found();
  two_barriers_in_branches_kernel<<<1, 64>>>(d_out.data(), 32);
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, "barrier");
  EXPECT_NE(finding.message.find("wait at two different __syncthreads()"), std::string::npos)
      << finding.message;
  ASSERT_EQ(finding.places.size(), 2u);
  expect_place(finding.places[0], kFirstBranchLine, "wait", {0, 0, 0}, {0, 0, 0});
  expect_place(finding.places[1], kSecondBranchLine, "wait", {63, 0, 0}, {0, 0, 0});
}

__global__ void barrier_in_uniform_loop_kernel(int* out, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    if (i % 2 == 0) __syncthreads();
  }
  out[threadIdx.x] = rounds;
}

TEST_F(Barriers, InAnIfThatAllTake) {
  barrier_in_uniform_loop_kernel<<<1, 100>>>(d_out.data(), 9);
  expect_nothing_found();
}

__global__ void barrier_against_syncwarp_kernel(int* out, unsigned limit) {
  if (threadIdx.x < limit) {
    __syncthreads();
  } else {
    __syncwarp();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
constexpr int kDeadlockBarrierLine = __LINE__ - 6, kDeadlockSyncwarpLine = __LINE__ - 4;

TEST_F(Barriers, Deadlock) {
  barrier_against_syncwarp_kernel<<<2, 32>>>(d_out.data(), 32);
  expect_nothing_found();
  barrier_against_syncwarp_kernel<<<2, 32>>>(d_out.data(), 16);
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, "deadlock");
  EXPECT_NE(finding.message.find("no thread of the block can go on"), std::string::npos)
      << finding.message;
  ASSERT_EQ(finding.places.size(), 2u);
  expect_place(finding.places[0], kDeadlockBarrierLine, "wait", {0, 0, 0}, {0, 0, 0});
  expect_place(finding.places[1], kDeadlockSyncwarpLine, "wait", {16, 0, 0}, {0, 0, 0});
  expect_device_lost(cudaErrorLaunchTimeout);
}

__global__ void shuffle_of_absent_lanes_kernel(int* out, unsigned limit) {
  if (threadIdx.x < limit)
    out[threadIdx.x] = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x), 0);
  __syncthreads();
}
constexpr int kAbsentLanesLine = __LINE__ - 3;

TEST_F(Barriers, ShuffleThatNotAllLanesOfItsMaskReach) {
  shuffle_of_absent_lanes_kernel<<<1, 32>>>(d_out.data(), 32);
  expect_nothing_found();
  shuffle_of_absent_lanes_kernel<<<1, 32>>>(d_out.data(), 8);
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, "deadlock");
  ASSERT_EQ(finding.places.size(), 2u);
  EXPECT_EQ(finding.places[0].line, kAbsentLanesLine);
  EXPECT_EQ(finding.places[1].line, kAbsentLanesLine + 1);
}

// ---- After a finding ----

class AfterwardsTest : public FindingsTest {};

TEST_F(AfterwardsTest, ResetMakesTheDeviceUsable) {
  DeviceBuffer<float> d_lost(1);
  store_kernel<<<1, 32>>>(d_lost.data(), 1);
  EXPECT_EQ(only_finding().kind, "out_of_bounds");
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  DeviceBuffer<float> d_values(1);
  store_kernel<<<1, 32>>>(d_values.data(), 0);
  EXPECT_EQ(d_values.to_host(), std::vector<float>{0.0f});
  expect_nothing_found();
}

TEST_F(AfterwardsTest, TakenFindingsAreGone) {
  DeviceBuffer<float> d_values(1);
  store_kernel<<<1, 32>>>(d_values.data(), 1);
  EXPECT_EQ(take_findings().size(), 1u);
  EXPECT_EQ(take_findings().size(), 0u);
}

TEST_F(AfterwardsTest, DescriptionIsForPeople) {
  DeviceBuffer<float> d_values(1);
  store_kernel<<<1, 32>>>(d_values.data(), 1);
  EXPECT_EQ(
      describe(only_finding()),
      "store_kernel: at byte 4 of an allocation of 4 bytes, which is element 1 of an array of 1.\n"
      "  findings_test.cu:" +
          std::to_string(kStoreLine) + ":" + std::to_string(kStoreColumn) +
          "  store by thread (5,0,0) of block (0,0,0)\n");
}

using HostCodeDeathTest = FindingsTest;

TEST_F(HostCodeDeathTest, FollowsADevicePointer) {
  int* d_pointer = nullptr;
  CUDA_CHECK(cudaMalloc(&d_pointer, 4));
  EXPECT_EXIT(*d_pointer = 1, testing::ExitedWithCode(1),
              "host code uses a pointer to device memory");
}

TEST_F(HostCodeDeathTest, FollowsAManagedPointer) {
  int* pointer = nullptr;
  CUDA_CHECK(cudaMallocManaged(&pointer, 4));
  *pointer = 1;
  EXPECT_EQ(*pointer, 1);
}

TEST_F(HostCodeDeathTest, FindingThatNobodyTakesFailsTheProgram) {
  EXPECT_EXIT(
      {
        DeviceBuffer<float> d_values(1);
        store_kernel<<<1, 32>>>(d_values.data(), 1);
        std::exit(0);
      },
      testing::ExitedWithCode(1), "store_kernel: at byte 4 of an allocation of 4 bytes");
}

}  // namespace
