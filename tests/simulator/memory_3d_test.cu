#include "tests/simulator/run_kernel.h"
#include "tests/support/device_test.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

// Three-dimensional memory, and the kind of memory at an address.

namespace {

class Memory3D : public DeviceTest {};
class PointerAttributes : public DeviceTest {};

constexpr int kWidth = 5, kHeight = 3, kDepth = 4;

__global__ void number_kernel(cudaPitchedPtr memory, int width) {
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int z = static_cast<int>(blockIdx.x);
  char* const slice = static_cast<char*>(memory.ptr) + z * memory.pitch * memory.ysize;
  int* const row = reinterpret_cast<int*>(slice + y * memory.pitch);
  if (x < width) row[x] = 100 * z + 10 * y + x;
}

TEST_F(Memory3D, IsCopiedThereAndBack) {
  cudaPitchedPtr d_memory = {};
  const cudaExtent extent = make_cudaExtent(kWidth * sizeof(int), kHeight, kDepth);
  ASSERT_EQ(cudaMalloc3D(&d_memory, extent), cudaSuccess);
  EXPECT_GE(d_memory.pitch, extent.width);
  EXPECT_EQ(d_memory.ysize, extent.height);
  number_kernel<<<kDepth, dim3(8, kHeight)>>>(d_memory, kWidth);
  ASSERT_EQ(cudaGetLastError(), cudaSuccess);

  std::vector<int> h_all(kWidth * kHeight * kDepth, -1);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = d_memory;
  copy.dstPtr = make_cudaPitchedPtr(h_all.data(), kWidth * sizeof(int), kWidth, kHeight);
  copy.extent = extent;
  copy.kind = cudaMemcpyDeviceToHost;
  ASSERT_EQ(cudaMemcpy3D(&copy), cudaSuccess);
  EXPECT_EQ(h_all, generated<int>(h_all.size(), [](int i) {
              return 100 * (i / (kWidth * kHeight)) + 10 * (i / kWidth % kHeight) + i % kWidth;
            }));

  // A part of it: 2 x 1 x 2 elements from (1, 2, 1) on.
  std::vector<int> h_part(4, -1);
  copy.srcPos = make_cudaPos(1 * sizeof(int), 2, 1);
  copy.dstPtr = make_cudaPitchedPtr(h_part.data(), 2 * sizeof(int), 2, 1);
  copy.extent = make_cudaExtent(2 * sizeof(int), 1, 2);
  ASSERT_EQ(cudaMemcpy3D(&copy), cudaSuccess);
  EXPECT_EQ(h_part, (std::vector<int>{121, 122, 221, 222}));

  ASSERT_EQ(cudaMemset3D(d_memory, 0x02, extent), cudaSuccess);
  ASSERT_EQ(cudaMemcpy3D(&copy), cudaSuccess);
  EXPECT_EQ(h_part, std::vector<int>(4, 0x02020202));
  EXPECT_EQ(cudaFree(d_memory.ptr), cudaSuccess);
}

TEST_F(Memory3D, IsNotSetPastItsEnd) {
  cudaPitchedPtr d_memory = {};
  ASSERT_EQ(cudaMalloc3D(&d_memory, make_cudaExtent(512, 2, 2)), cudaSuccess);
  EXPECT_EQ(cudaMemset3D(d_memory, 0, make_cudaExtent(512, 2, 3)), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(d_memory.ptr), cudaSuccess);
}

TEST_F(PointerAttributes, OfEachKindOfMemory) {
  void *d_memory = nullptr, *managed = nullptr, *pinned = nullptr;
  int plain = 0;
  ASSERT_EQ(cudaMalloc(&d_memory, 64), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(&managed, 64), cudaSuccess);
  ASSERT_EQ(cudaMallocHost(&pinned, 64), cudaSuccess);
  cudaPointerAttributes attributes = {};
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, d_memory), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
  EXPECT_EQ(attributes.device, 0);
  EXPECT_EQ(attributes.devicePointer, d_memory);
  EXPECT_EQ(attributes.hostPointer, nullptr);
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, managed), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeManaged);
  EXPECT_EQ(attributes.hostPointer, managed);
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, pinned), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, &plain), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);

  const cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
  EXPECT_EQ(cudaMemAdvise(managed, 64, cudaMemAdviseSetReadMostly, device), cudaSuccess);
  EXPECT_EQ(cudaMemPrefetchAsync(managed, 64, device, 0, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemPrefetchAsync(d_memory, 64, device, 0, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  const cudaMemLocation other = {cudaMemLocationTypeDevice, 99};
  EXPECT_EQ(cudaMemPrefetchAsync(managed, 64, other, 0, nullptr), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaFree(d_memory), cudaSuccess);
  EXPECT_EQ(cudaFree(managed), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

}  // namespace
