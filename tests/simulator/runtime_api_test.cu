#include "common/harness/device_info.h"
#include "tests/simulator/run_kernel.h"
#include "tests/support/device_test.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

// The runtime API: the calls that succeed, and the errors of the calls that fail.

namespace {

class LaunchLimits : public DeviceTest {};
class LastError : public DeviceTest {};
class Allocation : public DeviceTest {};
class Copy : public DeviceTest {};
class Symbols : public DeviceTest {};
class HostMemory : public DeviceTest {};
class Streams : public DeviceTest {};
class Device : public DeviceTest {};

__global__ void empty_kernel() {}

// CUDA 13.0 on an H200; CUDA 12 and older give cudaErrorInvalidConfiguration.
constexpr cudaError_t kImpossibleLaunch = cudaErrorInvalidValue;

cudaError_t launched(dim3 grid, dim3 block) {
  empty_kernel<<<grid, block>>>();
  return cudaGetLastError();
}

TEST_F(LaunchLimits, AtLeastOneBlockAndOneThread) {
  EXPECT_EQ(launched(0, 32), kImpossibleLaunch);
  EXPECT_EQ(launched(dim3(1, 0), 32), kImpossibleLaunch);
  EXPECT_EQ(launched(1, 0), kImpossibleLaunch);
  EXPECT_EQ(launched(1, dim3(32, 1, 0)), kImpossibleLaunch);
}

TEST_F(LaunchLimits, ThreadsOfABlock) {
  EXPECT_EQ(launched(1, 1024), cudaSuccess);
  EXPECT_EQ(launched(1, 1025), kImpossibleLaunch);
  EXPECT_EQ(launched(1, dim3(1, 1024)), cudaSuccess);
  EXPECT_EQ(launched(1, dim3(32, 33)), kImpossibleLaunch);
  EXPECT_EQ(launched(1, dim3(1, 1, 64)), cudaSuccess);
  EXPECT_EQ(launched(1, dim3(1, 1, 65)), kImpossibleLaunch);
}

TEST_F(LaunchLimits, BlocksOfAGrid) {
  EXPECT_EQ(launched(65536, 1), cudaSuccess);
  EXPECT_EQ(launched(dim3(1, 65535), 1), cudaSuccess);
  EXPECT_EQ(launched(dim3(1, 65536), 1), kImpossibleLaunch);
  EXPECT_EQ(launched(dim3(1, 1, 65536), 1), kImpossibleLaunch);
  EXPECT_EQ(launched(2147483648u, 1), kImpossibleLaunch);
}

constexpr int kDefaultSharedBytes = 48 * 1024;

int most_shared_bytes() {
  int bytes = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  return bytes;
}

// A kernel for each test: an attribute, once set, stays with its kernel.
__global__ void default_shared_kernel() {}
__global__ void opted_in_kernel(int* out, int last) {
  extern __shared__ int opted_in_values[];
  opted_in_values[last] = 7;
  *out = opted_in_values[last];
}
__global__ void never_opted_in_kernel() {}
__global__ void with_static_kernel(int* out) {
  __shared__ int values[256];  // 1 KB
  values[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = values[255 - threadIdx.x];
}

// Its own array, and one of a function that is called.
__device__ __attribute__((noinline)) int last_of_block(int value) {
  __shared__ int values[50];  // 200 bytes
  values[threadIdx.x] = value;
  __syncthreads();
  return values[blockDim.x - 1];
}
__global__ void with_a_function_kernel(int* out) {
  __shared__ int own_values[100];
  own_values[threadIdx.x] = last_of_block(static_cast<int>(threadIdx.x));
  __syncthreads();
  *out = own_values[0];
}

template <typename T, int kSize>
__global__ void template_kernel(int* out) {
  __shared__ T values[kSize];
  values[threadIdx.x] = static_cast<T>(threadIdx.x);
  __syncthreads();
  if (out) out[threadIdx.x] = static_cast<int>(values[kSize - 1 - threadIdx.x]);
}
template <typename T, int kSize>
void launch_template(std::size_t dynamic_bytes) {
  template_kernel<T, kSize><<<1, 32, dynamic_bytes>>>(nullptr);  // the same text for all of them
}

TEST_F(LaunchLimits, DynamicSharedMemoryIs48KBUnlessMoreIsRequested) {
  default_shared_kernel<<<1, 1, kDefaultSharedBytes>>>();
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  default_shared_kernel<<<1, 1, kDefaultSharedBytes + 1>>>();
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(LaunchLimits, DynamicSharedMemoryThatWasRequested) {
  const int bytes = most_shared_bytes();
  ASSERT_EQ(
      cudaFuncSetAttribute(opted_in_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
      cudaSuccess);
  EXPECT_EQ(
      output_of<int>(1, [=](int* out) { opted_in_kernel<<<1, 1, bytes>>>(out, bytes / 4 - 1); }),
      std::vector<int>{7});
  opted_in_kernel<<<1, 1, bytes + 1>>>(nullptr, 0);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(LaunchLimits, MoreSharedMemoryThanTheDeviceHasCannotBeRequested) {
  EXPECT_EQ(cudaFuncSetAttribute(never_opted_in_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 most_shared_bytes() + 1),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  never_opted_in_kernel<<<1, 1, kDefaultSharedBytes + 1>>>();
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(LaunchLimits, StaticSharedMemoryCountsToo) {
  DeviceBuffer<int> d_out(256);
  with_static_kernel<<<1, 256, kDefaultSharedBytes - 1024>>>(d_out.data());
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  with_static_kernel<<<1, 256, kDefaultSharedBytes - 1024 + 1>>>(d_out.data());
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(LaunchLimits, EachInstantiationHasItsOwnStaticSharedMemory) {
  for (const auto& [launch, bytes] :
       {std::pair(launch_template<char, 32>, 32), std::pair(launch_template<double, 128>, 1024)}) {
    launch(static_cast<std::size_t>(kDefaultSharedBytes - bytes));
    EXPECT_EQ(cudaGetLastError(), cudaSuccess) << bytes;
    launch(static_cast<std::size_t>(kDefaultSharedBytes - bytes + 1));
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue) << bytes;
  }
  CUDA_CHECK(cudaDeviceSynchronize());
}

TEST_F(LaunchLimits, EachInstantiationHasItsOwnAttributes) {
  cudaFuncAttributes small = {}, large = {};
  ASSERT_EQ(cudaFuncGetAttributes(&small, template_kernel<char, 32>), cudaSuccess);
  ASSERT_EQ(cudaFuncGetAttributes(&large, template_kernel<double, 128>), cudaSuccess);
  EXPECT_EQ(small.sharedSizeBytes, 32u);
  EXPECT_EQ(large.sharedSizeBytes, 1024u);
}

TEST_F(LaunchLimits, DynamicSharedMemoryIsRequestedForEachInstantiation) {
  const std::size_t bytes = kDefaultSharedBytes;
  ASSERT_EQ(cudaFuncSetAttribute(template_kernel<short, 64>,
                                 cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
            cudaSuccess);
  launch_template<short, 64>(bytes);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  launch_template<short, 32>(bytes);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  CUDA_CHECK(cudaDeviceSynchronize());
}

TEST_F(LaunchLimits, AKernelBehindAPointerHasItsOwnLimit) {
  const std::size_t bytes = kDefaultSharedBytes + 1;
  void (*const pointer)(int*) = template_kernel<float, 64>;
  ASSERT_EQ(cudaFuncSetAttribute(pointer, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(bytes)),
            cudaSuccess);
  pointer<<<1, 32, bytes>>>(nullptr);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  void (*const other)(int*) = template_kernel<float, 96>;
  other<<<1, 32, bytes>>>(nullptr);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  CUDA_CHECK(cudaDeviceSynchronize());
}

TEST_F(LaunchLimits, OccupancyDependsOnTheInstantiation) {
  int of_small = 0, of_large = 0;  // 128 bytes, and 32 KB: 228 KB have room for 6 with 1 KB each
  ASSERT_EQ(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_small, template_kernel<int, 32>, 32, 0),
      cudaSuccess);
  ASSERT_EQ(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_large, template_kernel<int, 8192>, 32, 0),
      cudaSuccess);
  EXPECT_EQ(of_small, 32);
  EXPECT_EQ(of_large, 6);
}

TEST_F(LaunchLimits, AttributesOfAKernel) {
  cudaFuncAttributes attributes = {};
  ASSERT_EQ(cudaFuncGetAttributes(&attributes, with_static_kernel), cudaSuccess);
  EXPECT_EQ(attributes.sharedSizeBytes, 1024u);
  EXPECT_EQ(attributes.maxDynamicSharedSizeBytes, kDefaultSharedBytes - 1024);
  EXPECT_EQ(attributes.maxThreadsPerBlock, 1024);
  ASSERT_EQ(cudaFuncGetAttributes(&attributes, with_a_function_kernel), cudaSuccess);
  EXPECT_EQ(attributes.sharedSizeBytes, 600u);
}

// ---- The last error ----

TEST_F(LastError, StaysUntilItIsTaken) {
  empty_kernel<<<1, 2000>>>();
  EXPECT_EQ(cudaPeekAtLastError(), kImpossibleLaunch);
  empty_kernel<<<1, 1>>>();
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaPeekAtLastError(), kImpossibleLaunch);
  EXPECT_EQ(cudaGetLastError(), kImpossibleLaunch);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(LastError, IsTheNewest) {
  empty_kernel<<<1, 2000>>>();
  EXPECT_EQ(cudaFree(reinterpret_cast<void*>(&launched)), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(LastError, LaunchThatFailsRunsNothing) {
  DeviceBuffer<int> d_out(std::vector<int>{5});
  opted_in_kernel<<<1, 1025, 4>>>(d_out.data(), 0);
  EXPECT_EQ(cudaGetLastError(), kImpossibleLaunch);
  EXPECT_EQ(d_out.to_host(), std::vector<int>{5});
}

TEST_F(LastError, NamesAndTexts) {
  EXPECT_STREQ(cudaGetErrorName(cudaSuccess), "cudaSuccess");
  EXPECT_STREQ(cudaGetErrorString(cudaSuccess), "no error");
  EXPECT_STREQ(cudaGetErrorName(cudaErrorInvalidConfiguration), "cudaErrorInvalidConfiguration");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorInvalidConfiguration), "invalid configuration argument");
  EXPECT_STREQ(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorIllegalAddress),
               "an illegal memory access was encountered");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
  EXPECT_STREQ(cudaGetErrorName(static_cast<cudaError_t>(12345)), "unrecognized error code");
  EXPECT_STREQ(cudaGetErrorString(static_cast<cudaError_t>(12345)), "unrecognized error code");
}

TEST_F(LastError, ValuesAreThoseOfCuda) {
  EXPECT_EQ(cudaErrorInvalidValue, 1);
  EXPECT_EQ(cudaErrorMemoryAllocation, 2);
  EXPECT_EQ(cudaErrorInvalidConfiguration, 9);
  EXPECT_EQ(cudaErrorInvalidPitchValue, 12);
  EXPECT_EQ(cudaErrorInvalidSymbol, 13);
  EXPECT_EQ(cudaErrorInvalidMemcpyDirection, 21);
  EXPECT_EQ(cudaErrorInvalidDevice, 101);
  EXPECT_EQ(cudaErrorInvalidResourceHandle, 400);
  EXPECT_EQ(cudaErrorIllegalAddress, 700);
  EXPECT_EQ(cudaErrorMisalignedAddress, 716);
  EXPECT_EQ(cudaErrorLaunchFailure, 719);
}

// ---- Memory ----

TEST_F(Allocation, OfZeroBytesIsNull) {
  int* d_pointer = reinterpret_cast<int*>(1);
  EXPECT_EQ(cudaMalloc(&d_pointer, 0), cudaSuccess);
  EXPECT_EQ(d_pointer, nullptr);
}

TEST_F(Allocation, OfMoreThanTheFreeMemory) {
  std::size_t free_bytes = 0, total_bytes = 0;
  CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
  char* d_pointer = nullptr;
  EXPECT_EQ(cudaMalloc(&d_pointer, total_bytes + 1), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc(&d_pointer, SIZE_MAX / 2), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
}

TEST_F(Allocation, IsAlignedTo256Bytes) {
  for (const std::size_t bytes : {1, 3, 300, 5000}) {
    const DeviceBuffer<char> d_buffer(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(d_buffer.data()) % 256, 0u) << bytes;
  }
}

TEST_F(Allocation, FreeOfNullDoesNothing) { EXPECT_EQ(cudaFree(nullptr), cudaSuccess); }

TEST_F(Allocation, FreeTwice) {
  int* d_pointer = nullptr;
  CUDA_CHECK(cudaMalloc(&d_pointer, 4000));
  EXPECT_EQ(cudaFree(d_pointer), cudaSuccess);
  EXPECT_EQ(cudaFree(d_pointer), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(Allocation, FreeOfAnAddressThatIsNotFromCudaMalloc) {
  DeviceBuffer<int> d_buffer(1000);
  int on_host = 0;
  EXPECT_EQ(cudaFree(d_buffer.data() + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(&on_host), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(Allocation, IsFreedByItsOwnFunction) {
  int *d_pointer = nullptr, *h_pinned = nullptr;
  CUDA_CHECK(cudaMalloc(&d_pointer, 4));
  CUDA_CHECK(cudaMallocHost(&h_pinned, 4));
  EXPECT_EQ(cudaFreeHost(d_pointer), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(h_pinned), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(d_pointer), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(h_pinned), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(Allocation, ShowsInTheFreeMemory) {
  const std::size_t bytes = 64 << 20;
  std::size_t before = 0, during = 0, after = 0, total_bytes = 0;
  { const DeviceBuffer<char> d_first(1); }  // a GPU's first allocation sets up its heap
  CUDA_CHECK(cudaMemGetInfo(&before, &total_bytes));
  {
    const DeviceBuffer<char> d_buffer(bytes);
    CUDA_CHECK(cudaMemGetInfo(&during, &total_bytes));
  }
  CUDA_CHECK(cudaMemGetInfo(&after, &total_bytes));
  EXPECT_LE(before, total_bytes);
  EXPECT_GT(total_bytes - during, 0u);
  if (!require_device().simulated) return;  // other programs use a GPU at the same time
  EXPECT_EQ(before - during, bytes);
  EXPECT_EQ(after, before);
}

TEST_F(Copy, EveryCorrectDirection) {
  const std::vector<int> h_in{1, 2, 3};
  DeviceBuffer<int> d_first(3), d_second(3), d_third(3);
  std::vector<int> h_middle(3), h_out(3);
  EXPECT_EQ(cudaMemcpy(h_middle.data(), h_in.data(), 12, cudaMemcpyHostToHost), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(d_first.data(), h_middle.data(), 12, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(d_second.data(), d_first.data(), 12, cudaMemcpyDeviceToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(d_third.data(), d_second.data(), 12, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(h_out.data(), d_third.data(), 12, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(h_out, h_in);
}

TEST_F(Copy, WrongDirection) {
  std::vector<int> h_a(3), h_b(3);
  DeviceBuffer<int> d_a(3);
  EXPECT_EQ(cudaMemcpy(d_a.data(), h_a.data(), 12, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(h_a.data(), d_a.data(), 12, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(h_a.data(), h_b.data(), 12, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(h_a.data(), h_b.data(), 12, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(Copy, NoDirectionAtAll) {
  int h_value = 0;
  DeviceBuffer<int> d_value(1);
  EXPECT_EQ(cudaMemcpy(d_value.data(), &h_value, 4, static_cast<cudaMemcpyKind>(7)),
            cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidMemcpyDirection);
}

TEST_F(Copy, NullPointer) {
  int h_value = 0;
  EXPECT_EQ(cudaMemcpy(nullptr, &h_value, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(&h_value, nullptr, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(nullptr, &h_value, 0, cudaMemcpyHostToDevice), cudaSuccess);
}

TEST_F(Copy, PastTheEnd) {
  std::vector<int> h_values(11);
  DeviceBuffer<int> d_values(10);
  EXPECT_EQ(cudaMemcpy(d_values.data(), h_values.data(), 44, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(d_values.data() + 1, h_values.data(), 40, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(h_values.data(), d_values.data(), 44, cudaMemcpyDeviceToHost),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(d_values.data() + 1, h_values.data(), 36, cudaMemcpyHostToDevice),
            cudaSuccess);
}

TEST_F(Copy, FreedMemory) {
  int* d_pointer = nullptr;
  int h_value = 0;
  CUDA_CHECK(cudaMalloc(&d_pointer, 4));
  CUDA_CHECK(cudaFree(d_pointer));
  EXPECT_EQ(cudaMemcpy(&h_value, d_pointer, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(Copy, MemsetSetsBytes) {
  DeviceBuffer<unsigned char> d_bytes(std::vector<unsigned char>(6, 1));
  EXPECT_EQ(cudaMemset(d_bytes.data() + 1, 0x1fe, 4), cudaSuccess);  // the value's lowest byte
  EXPECT_EQ(d_bytes.to_host(), (std::vector<unsigned char>{1, 0xfe, 0xfe, 0xfe, 0xfe, 1}));
}

TEST_F(Copy, MemsetOutsideOfDeviceMemory) {
  DeviceBuffer<int> d_values(10);
  int h_value = 0;
  EXPECT_EQ(cudaMemset(d_values.data(), 0, 41), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(&h_value, 0, 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(nullptr, 0, 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

// Rows of 3 bytes out of rows of 5, into rows of 4.
TEST_F(Copy, TwoDimensional) {
  const auto h_in = generated<signed char>(10, [](int i) { return i; });
  DeviceBuffer<signed char> d_rows(std::vector<signed char>(8, -1));
  EXPECT_EQ(cudaMemcpy2D(d_rows.data(), 4, h_in.data(), 5, 3, 2, cudaMemcpyHostToDevice),
            cudaSuccess);
  EXPECT_EQ(d_rows.to_host(), (std::vector<signed char>{0, 1, 2, -1, 5, 6, 7, -1}));

  std::vector<signed char> h_out(6, -2);
  EXPECT_EQ(cudaMemcpy2D(h_out.data(), 3, d_rows.data() + 1, 4, 2, 2, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(h_out, (std::vector<signed char>{1, 2, -2, 6, 7, -2}));
}

TEST_F(Copy, TwoDimensionalLastRowNeedsNoPadding) {
  const std::vector<char> h_in{1, 2, 3, 4, 5, 6, 7};
  DeviceBuffer<char> d_rows(7);
  EXPECT_EQ(cudaMemcpy2D(d_rows.data(), 4, h_in.data(), 4, 3, 2, cudaMemcpyHostToDevice),
            cudaSuccess);
}

TEST_F(Copy, RowsMustNotOverlap) {
  std::vector<char> h_rows(16);
  DeviceBuffer<char> d_rows(16);
  EXPECT_EQ(cudaMemcpy2D(d_rows.data(), 3, h_rows.data(), 4, 4, 2, cudaMemcpyHostToDevice),
            cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaMemcpy2D(d_rows.data(), 4, h_rows.data(), 3, 4, 2, cudaMemcpyHostToDevice),
            cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidPitchValue);
}

TEST_F(Copy, PitchedMemory) {
  char* d_rows = nullptr;
  std::size_t pitch = 0;
  ASSERT_EQ(cudaMallocPitch(&d_rows, &pitch, 100, 3), cudaSuccess);
  EXPECT_GE(pitch, 100u);
  EXPECT_EQ(pitch % 256, 0u);
  EXPECT_EQ(cudaMemset2D(d_rows, pitch, 7, 100, 3), cudaSuccess);
  std::vector<char> h_last(100);
  EXPECT_EQ(cudaMemcpy(h_last.data(), d_rows + 2 * pitch, 100, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(h_last, std::vector<char>(100, 7));
  EXPECT_EQ(cudaFree(d_rows), cudaSuccess);
}

// ---- __device__ and __constant__ variables ----

__device__ int numbers[4];
__constant__ int factor;

__global__ void multiply_numbers_kernel() { numbers[threadIdx.x] *= factor; }

TEST_F(Symbols, CopyMustStayInTheVariable) {
  const int h_values[5] = {};
  EXPECT_EQ(cudaMemcpyToSymbol(numbers, h_values, sizeof h_values), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToSymbol(numbers, h_values, 8, 12), cudaErrorInvalidValue);
  int h_out[5];
  EXPECT_EQ(cudaMemcpyFromSymbol(h_out, numbers, sizeof h_out), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(Symbols, AddressIsDeviceMemory) {
  void* d_address = nullptr;
  std::size_t bytes = 0;
  ASSERT_EQ(cudaGetSymbolAddress(&d_address, numbers), cudaSuccess);
  ASSERT_EQ(cudaGetSymbolSize(&bytes, numbers), cudaSuccess);
  EXPECT_EQ(bytes, 16u);
  const std::vector<int> h_in{1, 2, 3, 4};
  const int h_factor = -10;
  EXPECT_EQ(cudaMemcpy(d_address, h_in.data(), bytes, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemset(static_cast<int*>(d_address) + 3, 0, 4), cudaSuccess);
  EXPECT_EQ(cudaMemcpyToSymbol(factor, &h_factor, 4), cudaSuccess);
  multiply_numbers_kernel<<<1, 4>>>();
  std::vector<int> h_out(4);
  EXPECT_EQ(cudaMemcpy(h_out.data(), d_address, bytes, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(h_out, (std::vector<int>{-10, -20, -30, 0}));
}

// ---- Host memory that kernels use ----

__global__ void increment_kernel(int* values) { ++values[threadIdx.x]; }

TEST_F(HostMemory, PinnedIsUsedByAKernel) {
  int *h_values = nullptr, *d_values = nullptr;
  CUDA_CHECK(cudaHostAlloc(&h_values, 3 * sizeof(int), cudaHostAllocMapped));
  for (int i = 0; i < 3; ++i) h_values[i] = 10 * i;
  ASSERT_EQ(cudaHostGetDevicePointer(reinterpret_cast<void**>(&d_values), h_values, 0),
            cudaSuccess);
  increment_kernel<<<1, 3>>>(d_values);
  CUDA_CHECK(cudaDeviceSynchronize());
  EXPECT_EQ(std::vector<int>(h_values, h_values + 3), (std::vector<int>{1, 11, 21}));
  EXPECT_EQ(cudaFreeHost(h_values), cudaSuccess);
}

TEST_F(HostMemory, PinnedIsCopiedAsHostMemory) {
  int* h_values = nullptr;
  CUDA_CHECK(cudaMallocHost(&h_values, 2 * sizeof(int)));
  DeviceBuffer<int> d_values(std::vector<int>{8, 9});
  EXPECT_EQ(cudaMemcpyAsync(h_values, d_values.data(), 8, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(h_values[1], 9);
  EXPECT_EQ(cudaFreeHost(h_values), cudaSuccess);
}

TEST_F(HostMemory, ManagedIsUsedByHostAndDevice) {
  int* values = nullptr;
  CUDA_CHECK(cudaMallocManaged(&values, 3 * sizeof(int)));
  for (int i = 0; i < 3; ++i) values[i] = i;
  increment_kernel<<<1, 3>>>(values);
  increment_kernel<<<1, 2>>>(values);
  CUDA_CHECK(cudaDeviceSynchronize());
  EXPECT_EQ(std::vector<int>(values, values + 3), (std::vector<int>{2, 3, 3}));
  EXPECT_EQ(cudaFree(values), cudaSuccess);
}

// Also two ranges on one page of memory.
TEST_F(HostMemory, RegisteredIsUsedThroughTheDevicesPointer) {
  std::vector<int> h_values(100, 5);
  int* const h_parts[] = {h_values.data() + 1, h_values.data() + 50};
  for (int* const h_part : h_parts) {
    ASSERT_EQ(cudaHostRegister(h_part, 40 * sizeof(int), cudaHostRegisterMapped), cudaSuccess);
  }
  EXPECT_EQ(cudaHostRegister(h_parts[0], 4, 0), cudaErrorHostMemoryAlreadyRegistered);
  for (int* const h_part : h_parts) {
    int* d_part = nullptr;
    ASSERT_EQ(cudaHostGetDevicePointer(&d_part, h_part + 3, 0), cudaSuccess);
    h_part[3] = 7;
    increment_kernel<<<1, 2>>>(d_part);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }
  for (int* const h_part : h_parts) {
    EXPECT_EQ(h_part[3], 8);
    EXPECT_EQ(cudaHostUnregister(h_part), cudaSuccess);
  }
  EXPECT_EQ(h_values[0], 5);
  EXPECT_EQ(cudaHostUnregister(h_parts[0]), cudaErrorHostMemoryNotRegistered);
  cudaGetLastError();
  ASSERT_EQ(cudaHostRegister(h_parts[0], 4, 0), cudaSuccess);
  EXPECT_EQ(h_values[4], 8);
  EXPECT_EQ(cudaHostUnregister(h_parts[0]), cudaSuccess);
}

// ---- Streams and events ----

TEST_F(Streams, KeepAttributes) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  cudaStreamAttrValue value = {}, stored = {};
  value.accessPolicyWindow.num_bytes = 512;
  value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  EXPECT_EQ(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value),
            cudaSuccess);
  EXPECT_EQ(cudaStreamGetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &stored),
            cudaSuccess);
  EXPECT_EQ(stored.accessPolicyWindow.num_bytes, 512u);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST_F(Streams, KeepTheOrderOfTheirWork) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  int *d_values = nullptr, *h_values = nullptr;
  CUDA_CHECK(cudaMallocAsync(&d_values, 2 * sizeof(int), stream));
  CUDA_CHECK(cudaMallocHost(&h_values, 2 * sizeof(int)));
  EXPECT_EQ(cudaMemsetAsync(d_values, 0, 8, stream), cudaSuccess);
  for (int i = 0; i < 5; ++i) increment_kernel<<<1, 2, 0, stream>>>(d_values);
  EXPECT_EQ(cudaMemcpyAsync(h_values, d_values, 8, cudaMemcpyDeviceToHost, stream), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(d_values, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess);
  EXPECT_EQ(h_values[0], 5);
  EXPECT_EQ(h_values[1], 5);
  EXPECT_EQ(cudaFreeHost(h_values), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

void add_seven(void* value) { *static_cast<int*>(value) += 7; }

TEST_F(Streams, CallAHostFunction) {
  int value = 1;
  EXPECT_EQ(cudaLaunchHostFunc(nullptr, add_seven, &value), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(value, 8);
}

TEST_F(Streams, WaitForEvents) {
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  CUDA_CHECK(cudaStreamCreate(&stream));
  CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  EXPECT_EQ(cudaEventRecord(event), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(stream, event), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(event), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(stream, event), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventRecord(event), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventQuery(event), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventDestroy(event), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

class ElapsedTime : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
  }
  void TearDown() override {
    if (start) CUDA_CHECK(cudaEventDestroy(start));
    if (stop) CUDA_CHECK(cudaEventDestroy(stop));
    DeviceTest::TearDown();
  }
  cudaEvent_t start = nullptr, stop = nullptr;
  float ms = -1;
};

TEST_F(ElapsedTime, IsNotNegative) {
  CUDA_CHECK(cudaEventRecord(start));
  empty_kernel<<<1, 1>>>();
  CUDA_CHECK(cudaEventRecord(stop));
  CUDA_CHECK(cudaEventSynchronize(stop));
  EXPECT_EQ(cudaEventElapsedTime(&ms, start, stop), cudaSuccess);
  EXPECT_GE(ms, 0.0f);
}

TEST_F(ElapsedTime, NeedsBothEventsRecorded) {
  CUDA_CHECK(cudaEventRecord(start));
  CUDA_CHECK(cudaEventSynchronize(start));
  EXPECT_EQ(cudaEventElapsedTime(&ms, start, stop), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
}

TEST_F(ElapsedTime, NeedsEventsThatTakeTimes) {
  cudaEvent_t untimed = nullptr;
  CUDA_CHECK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  CUDA_CHECK(cudaEventRecord(start));
  CUDA_CHECK(cudaEventRecord(untimed));
  CUDA_CHECK(cudaEventSynchronize(untimed));
  EXPECT_EQ(cudaEventElapsedTime(&ms, start, untimed), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
  CUDA_CHECK(cudaEventDestroy(untimed));
}

// ---- The device ----

TEST_F(Device, ExistsByItsNumber) {
  int count = 0, device = -1;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  EXPECT_GE(count, 1);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(device, 0);
  EXPECT_EQ(cudaSetDevice(count), cudaErrorInvalidDevice);
  cudaDeviceProp properties;
  EXPECT_EQ(cudaGetDeviceProperties(&properties, count), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
}

int attribute(cudaDeviceAttr which) {
  int value = -1;
  CUDA_CHECK(cudaDeviceGetAttribute(&value, which, 0));
  return value;
}

TEST_F(Device, PropertiesAndAttributesAgree) {
  cudaDeviceProp properties;
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  EXPECT_EQ(attribute(cudaDevAttrMaxThreadsPerBlock), properties.maxThreadsPerBlock);
  EXPECT_EQ(attribute(cudaDevAttrMaxBlockDimX), properties.maxThreadsDim[0]);
  EXPECT_EQ(attribute(cudaDevAttrMaxBlockDimZ), properties.maxThreadsDim[2]);
  EXPECT_EQ(attribute(cudaDevAttrMaxGridDimX), properties.maxGridSize[0]);
  EXPECT_EQ(attribute(cudaDevAttrMaxGridDimY), properties.maxGridSize[1]);
  EXPECT_EQ(attribute(cudaDevAttrMaxGridDimZ), properties.maxGridSize[2]);
  EXPECT_EQ(attribute(cudaDevAttrMaxSharedMemoryPerBlock),
            static_cast<int>(properties.sharedMemPerBlock));
  EXPECT_EQ(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin),
            static_cast<int>(properties.sharedMemPerBlockOptin));
  EXPECT_EQ(attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor),
            static_cast<int>(properties.sharedMemPerMultiprocessor));
  EXPECT_EQ(attribute(cudaDevAttrTotalConstantMemory), static_cast<int>(properties.totalConstMem));
  EXPECT_EQ(attribute(cudaDevAttrWarpSize), properties.warpSize);
  EXPECT_EQ(attribute(cudaDevAttrMultiProcessorCount), properties.multiProcessorCount);
  EXPECT_EQ(attribute(cudaDevAttrL2CacheSize), properties.l2CacheSize);
  EXPECT_EQ(attribute(cudaDevAttrMaxThreadsPerMultiProcessor),
            properties.maxThreadsPerMultiProcessor);
  EXPECT_EQ(attribute(cudaDevAttrMaxBlocksPerMultiprocessor),
            properties.maxBlocksPerMultiProcessor);
  EXPECT_EQ(attribute(cudaDevAttrMaxRegistersPerBlock), properties.regsPerBlock);
  EXPECT_EQ(attribute(cudaDevAttrComputeCapabilityMajor), properties.major);
  EXPECT_EQ(attribute(cudaDevAttrComputeCapabilityMinor), properties.minor);
}

TEST_F(Device, HasThePropertiesOfEveryGpu) {
  cudaDeviceProp properties;
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  EXPECT_EQ(properties.warpSize, 32);
  EXPECT_EQ(properties.maxThreadsPerBlock, 1024);
  EXPECT_EQ(properties.maxGridSize[0], INT_MAX);
  EXPECT_EQ(properties.maxGridSize[1], 65535);
  EXPECT_EQ(properties.sharedMemPerBlock, 48u * 1024);
  EXPECT_EQ(properties.totalConstMem, 64u * 1024);
}

TEST_F(Device, BlocksThatFitAMultiprocessor) {
  cudaDeviceProp properties;
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  int blocks = 0;
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, empty_kernel, 1024, 0),
            cudaSuccess);
  EXPECT_EQ(blocks, properties.maxThreadsPerMultiProcessor / 1024);
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, empty_kernel, 32, 0),
            cudaSuccess);
  EXPECT_EQ(blocks, properties.maxBlocksPerMultiProcessor);
  // Each block takes 1 KB more than it requests.
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, empty_kernel, 32, 32 * 1024),
            cudaSuccess);
  EXPECT_EQ(blocks, static_cast<int>(properties.sharedMemPerMultiprocessor / (33 * 1024)));
}

}  // namespace
