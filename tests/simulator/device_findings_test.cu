#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <string>

#include "expect_findings.h"

// Findings about the use of several devices. Runs with two devices.

namespace {

class DeviceFindings : public FindingsTest {
 protected:
  void SetUp() override {
    FindingsTest::SetUp();
    CUDA_CHECK(cudaSetDevice(1));
    CUDA_CHECK(cudaMalloc(&d_there, 400));
    CUDA_CHECK(cudaMemset(d_there, 0, 400));
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaSetDevice(0));
  }
  void TearDown() override {
    for (const int device : {1, 0}) {
      CUDA_CHECK(cudaSetDevice(device));
      EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
    }
    FindingsTest::TearDown();
  }
  int* d_there = nullptr;  // 100 elements on device 1
};

__global__ void store_kernel(int* out) { out[threadIdx.x] = 1; }
constexpr int kStoreLine = __LINE__ - 1;
__global__ void load_kernel(const int* in, int* out) {
  const int value = in[threadIdx.x];
  out[threadIdx.x] = value;
}
constexpr int kLoadLine = __LINE__ - 3;

TEST_F(DeviceFindings, AStoreWithoutPeerAccess) {
  store_kernel<<<1, 100>>>(d_there);
  const Finding finding =
      expect_one_place("peer_access", "the kernel runs on device 0 and accesses memory of device 1",
                       kStoreLine, "store");
  EXPECT_NE(finding.message.find("cudaDeviceEnablePeerAccess(1, 0)"), std::string::npos);
  expect_device_lost(cudaErrorIllegalAddress);
}

TEST_F(DeviceFindings, ALoadWithoutPeerAccess) {
  DeviceBuffer<int> d_here(100);
  load_kernel<<<1, 100>>>(d_there, d_here.data());
  expect_one_place("peer_access", "memory of device 1", kLoadLine, "load");
  expect_device_lost(cudaErrorIllegalAddress);
}

TEST_F(DeviceFindings, TheOtherDeviceIsNotLost) {
  store_kernel<<<1, 100>>>(d_there);
  take_findings();
  CUDA_CHECK(cudaSetDevice(1));
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  store_kernel<<<1, 100>>>(d_there);
  expect_nothing_found();
}

TEST_F(DeviceFindings, AccessInTheOppositeDirectionDoesNotHelp) {
  CUDA_CHECK(cudaSetDevice(1));
  CUDA_CHECK(cudaDeviceEnablePeerAccess(0, 0));
  CUDA_CHECK(cudaSetDevice(0));
  store_kernel<<<1, 1>>>(d_there);
  expect_one_place("peer_access", "memory of device 1", kStoreLine, "store");
}

TEST_F(DeviceFindings, WithPeerAccess) {
  CUDA_CHECK(cudaDeviceEnablePeerAccess(1, 0));
  store_kernel<<<1, 100>>>(d_there);
  expect_nothing_found();
}

TEST_F(DeviceFindings, AccessThatWasDisabled) {
  CUDA_CHECK(cudaDeviceEnablePeerAccess(1, 0));
  store_kernel<<<1, 100>>>(d_there);
  expect_nothing_found();
  CUDA_CHECK(cudaDeviceDisablePeerAccess(1));
  store_kernel<<<1, 100>>>(d_there);
  expect_one_place("peer_access", "memory of device 1", kStoreLine, "store");
}

TEST_F(DeviceFindings, PinnedAndManagedMemoryIsForAllDevices) {
  int *h_pinned = nullptr, *managed = nullptr;
  CUDA_CHECK(cudaMallocHost(&h_pinned, 400));
  CUDA_CHECK(cudaMallocManaged(&managed, 400));
  CUDA_CHECK(cudaSetDevice(1));
  store_kernel<<<1, 100>>>(h_pinned);
  store_kernel<<<1, 100>>>(managed);
  expect_nothing_found();
  CUDA_CHECK(cudaFreeHost(h_pinned));
  CUDA_CHECK(cudaFree(managed));
}

// The only finding, of this kind, at `line` of this file.
void expect_on_host(const std::string& kind, const std::string& words, int line) {
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, kind);
  EXPECT_NE(finding.message.find(words), std::string::npos) << finding.message;
  ASSERT_EQ(finding.places.size(), 1u);
  EXPECT_EQ(file_name(finding.places[0].file), "device_findings_test.cu");
  EXPECT_EQ(finding.places[0].line, line);
  EXPECT_FALSE(finding.places[0].in_kernel);
}

TEST_F(DeviceFindings, ALaunchIntoAnotherDevicesStream) {
  cudaStream_t there = nullptr;
  CUDA_CHECK(cudaSetDevice(1));
  CUDA_CHECK(cudaStreamCreate(&there));
  CUDA_CHECK(cudaSetDevice(0));
  store_kernel<<<1, 1, 0, there>>>(d_there);
  const int line = __LINE__ - 1;
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
  expect_on_host("wrong_device",
                 "store_kernel cannot be launched: its stream belongs to device 1, but the current "
                 "device is 0",
                 line);
  CUDA_CHECK(cudaStreamDestroy(there));
}

TEST_F(DeviceFindings, ALaunchIntoADestroyedStream) {
  cudaStream_t stream = nullptr;
  CUDA_CHECK(cudaStreamCreate(&stream));
  CUDA_CHECK(cudaStreamDestroy(stream));
  store_kernel<<<1, 1, 0, stream>>>(nullptr);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
}

TEST_F(DeviceFindings, AnEventRecordedInAnotherDevicesStream) {
  cudaEvent_t here = nullptr;
  CUDA_CHECK(cudaEventCreate(&here));
  CUDA_CHECK(cudaSetDevice(1));
  const cudaError_t error = cudaEventRecord(here);
  const int line = __LINE__ - 1;
  EXPECT_EQ(error, cudaErrorInvalidResourceHandle);
  expect_on_host("wrong_device", "an event of device 0 is recorded in a stream of device 1", line);
  CUDA_CHECK(cudaEventDestroy(here));
}

TEST_F(DeviceFindings, TimeBetweenTwoDevices) {
  cudaEvent_t events[2] = {};
  for (const int device : {0, 1}) {
    CUDA_CHECK(cudaSetDevice(device));
    CUDA_CHECK(cudaEventCreate(&events[device]));
    CUDA_CHECK(cudaEventRecord(events[device]));
  }
  float ms = 0;
  const cudaError_t error = cudaEventElapsedTime(&ms, events[0], events[1]);
  const int line = __LINE__ - 1;
  EXPECT_EQ(error, cudaErrorInvalidResourceHandle);
  expect_on_host("wrong_device", "an event of device 0 and an event of device 1", line);
  for (const cudaEvent_t event : events) CUDA_CHECK(cudaEventDestroy(event));
}

}  // namespace
