#include "common/cuda_check.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <string>
#include <algorithm>
#include <vector>

#include "expect_findings.h"

// Work of two streams, or devices, that uses the same memory: calls that make one wait for the
// other, and the findings without such a call. Runs with two devices.

namespace {

__global__ void store_kernel(int* out, int value) { out[threadIdx.x] = value; }
constexpr int kStoreLine = __LINE__ - 1;
__global__ void load_kernel(const int* in, int* out) {
  const int value = in[threadIdx.x];
  out[threadIdx.x] = value;
}
constexpr int kLoadLine = __LINE__ - 3;
__global__ void count_kernel(int* counter) { atomicAdd(counter, 1); }

constexpr std::size_t kBytes = 256;  // 64 elements

class StreamRaces : public FindingsTest {
 protected:
  void SetUp() override {
    FindingsTest::SetUp();
    for (const int device : {1, 0}) {
      CUDA_CHECK(cudaSetDevice(device));
      CUDA_CHECK(cudaDeviceEnablePeerAccess(1 - device, 0));
      CUDA_CHECK(cudaStreamCreate(&stream[device]));
      CUDA_CHECK(cudaStreamCreate(&other[device]));
      CUDA_CHECK(cudaEventCreateWithFlags(&event[device], cudaEventDisableTiming));
      CUDA_CHECK(cudaMalloc(&d_data[device], kBytes));
      CUDA_CHECK(cudaMalloc(&d_copy[device], kBytes));
      CUDA_CHECK(cudaMemset(d_data[device], 0, kBytes));
      CUDA_CHECK(cudaMemset(d_copy[device], 0, kBytes));
      CUDA_CHECK(cudaDeviceSynchronize());
    }
  }
  void TearDown() override {
    for (const int device : {1, 0}) {
      CUDA_CHECK(cudaSetDevice(device));
      CUDA_CHECK(cudaStreamDestroy(stream[device]));
      CUDA_CHECK(cudaStreamDestroy(other[device]));
      CUDA_CHECK(cudaEventDestroy(event[device]));
      EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
    }
    FindingsTest::TearDown();
  }
  // The device becomes the current one.
  void store(int device, cudaStream_t on, int* d_out) {
    CUDA_CHECK(cudaSetDevice(device));
    store_kernel<<<1, 64, 0, on>>>(d_out, device);
  }
  void load(int device, cudaStream_t on, const int* d_in, int* d_out) {
    CUDA_CHECK(cudaSetDevice(device));
    load_kernel<<<1, 64, 0, on>>>(d_in, d_out);
  }

  // One element per device.
  cudaStream_t stream[2] = {}, other[2] = {};
  cudaEvent_t event[2] = {};
  int *d_data[2] = {}, *d_copy[2] = {};
};

Finding expect_race(const std::string& words, int first_line, int second_line) {
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, "stream_race");
  EXPECT_NE(finding.message.find(words), std::string::npos) << finding.message;
  EXPECT_EQ(finding.places.size(), 2u);
  if (finding.places.size() == 2) {
    EXPECT_EQ(finding.places[0].line, first_line);
    EXPECT_EQ(finding.places[1].line, second_line);
    EXPECT_EQ(file_name(finding.places[1].file), "stream_races_test.cu");
  }
  return finding;
}

// ---- Kernels of two devices ----

TEST_F(StreamRaces, AKernelReadsTheOutputOfAnotherDevicesKernel) {
  store(0, stream[0], d_data[0]);
  load(1, stream[1], d_data[0], d_copy[1]);
  expect_race(
      "race between devices on byte 0 of an allocation of 256 bytes in memory of device 0: "
      "store_kernel on device 0 and load_kernel on device 1 both access it",
      kStoreLine, kLoadLine);
}

TEST_F(StreamRaces, AKernelOverwritesTheInputOfAnotherDevicesKernel) {
  load(1, stream[1], d_data[0], d_copy[1]);
  store(0, stream[0], d_data[0]);
  expect_race("load_kernel on device 1 and store_kernel on device 0", kLoadLine, kStoreLine);
}

TEST_F(StreamRaces, BothRead) {
  load(1, stream[1], d_data[0], d_copy[1]);
  load(0, stream[0], d_data[0], d_copy[0]);
  expect_nothing_found();
}

TEST_F(StreamRaces, BothDevicesDefaultStreams) {  // they do not wait for each other
  store(0, nullptr, d_data[0]);
  load(1, nullptr, d_data[0], d_copy[1]);
  expect_race("race between devices", kStoreLine, kLoadLine);
}

TEST_F(StreamRaces, TheOtherWaitsForAnEvent) {
  store(0, stream[0], d_data[0]);
  CUDA_CHECK(cudaEventRecord(event[0], stream[0]));
  CUDA_CHECK(cudaStreamWaitEvent(stream[1], event[0]));
  load(1, stream[1], d_data[0], d_copy[1]);
  expect_nothing_found();
}

TEST_F(StreamRaces, TheEventWasRecordedTooEarly) {
  CUDA_CHECK(cudaEventRecord(event[0], stream[0]));
  store(0, stream[0], d_data[0]);
  CUDA_CHECK(cudaStreamWaitEvent(stream[1], event[0]));
  load(1, stream[1], d_data[0], d_copy[1]);
  const Finding finding = expect_race("Record an event after the first", kStoreLine, kLoadLine);
  EXPECT_EQ(facts_of(finding),
            "finding=stream_race access=store access=load between=devices stream=other");
}

TEST_F(StreamRaces, TheEventOfAnotherStream) {
  store(0, stream[0], d_data[0]);
  CUDA_CHECK(cudaEventRecord(event[0], other[0]));
  CUDA_CHECK(cudaStreamWaitEvent(stream[1], event[0]));
  load(1, stream[1], d_data[0], d_copy[1]);
  expect_race("race between devices", kStoreLine, kLoadLine);
}

TEST_F(StreamRaces, AThirdStreamPassesTheOrderOn) {
  store(0, stream[0], d_data[0]);
  CUDA_CHECK(cudaEventRecord(event[0], stream[0]));
  CUDA_CHECK(cudaStreamWaitEvent(other[0], event[0]));
  CUDA_CHECK(cudaEventRecord(event[0], other[0]));
  CUDA_CHECK(cudaStreamWaitEvent(stream[1], event[0]));
  load(1, stream[1], d_data[0], d_copy[1]);
  expect_nothing_found();
}

TEST_F(StreamRaces, TheHostWaitsForTheStream) {
  store(0, stream[0], d_data[0]);
  CUDA_CHECK(cudaStreamSynchronize(stream[0]));
  load(1, stream[1], d_data[0], d_copy[1]);
  expect_nothing_found();
}

TEST_F(StreamRaces, TheHostWaitsForTheOtherDevice) {
  store(0, stream[0], d_data[0]);
  CUDA_CHECK(cudaSetDevice(1));
  CUDA_CHECK(cudaDeviceSynchronize());
  load(1, stream[1], d_data[0], d_copy[1]);
  expect_race("race between devices", kStoreLine, kLoadLine);
}

TEST_F(StreamRaces, TheHostWaitsForTheDevice) {
  store(0, stream[0], d_data[0]);
  CUDA_CHECK(cudaDeviceSynchronize());
  load(1, stream[1], d_data[0], d_copy[1]);
  expect_nothing_found();
}

TEST_F(StreamRaces, TheSecondOfManyLaunches) {
  for (int round = 0; round < 5; ++round) store(0, stream[0], d_copy[0]);
  store(0, stream[0], d_data[0]);
  for (int round = 0; round < 5; ++round) store(0, stream[0], d_copy[0]);
  load(1, stream[1], d_data[0], d_copy[1]);
  expect_race("store_kernel on device 0 and load_kernel on device 1", kStoreLine, kLoadLine);
}

TEST_F(StreamRaces, DifferentPartsOfOneArray) {
  CUDA_CHECK(cudaSetDevice(0));
  store_kernel<<<1, 32, 0, stream[0]>>>(d_data[0], 1);
  CUDA_CHECK(cudaSetDevice(1));
  store_kernel<<<1, 32, 0, stream[1]>>>(d_data[0] + 32, 2);
  expect_nothing_found();
}

TEST_F(StreamRaces, AtomicFunctionsDoNotRace) {
  for (const int device : {0, 1}) {
    CUDA_CHECK(cudaSetDevice(device));
    count_kernel<<<1, 64, 0, stream[device]>>>(d_data[0]);
  }
  expect_nothing_found();
}

// ---- Streams of one device ----

TEST_F(StreamRaces, TwoStreamsOfOneDevice) {
  store(0, stream[0], d_data[0]);
  load(0, other[0], d_data[0], d_copy[0]);
  expect_race("race between streams", kStoreLine, kLoadLine);
}

TEST_F(StreamRaces, OneStreamIsInOrder) {
  store(0, stream[0], d_data[0]);
  load(0, stream[0], d_data[0], d_copy[0]);
  store(0, stream[0], d_data[0]);
  expect_nothing_found();
}

TEST_F(StreamRaces, TheDefaultStreamAndTheOthersWaitForEachOther) {
  store(0, stream[0], d_data[0]);
  load(0, nullptr, d_data[0], d_copy[0]);
  store(0, other[0], d_copy[0]);
  expect_nothing_found();
}

TEST_F(StreamRaces, ANonBlockingStreamDoesNotWaitForTheDefaultStream) {
  cudaStream_t non_blocking = nullptr;
  CUDA_CHECK(cudaStreamCreateWithFlags(&non_blocking, cudaStreamNonBlocking));
  store(0, nullptr, d_data[0]);
  load(0, non_blocking, d_data[0], d_copy[0]);
  const Finding finding = expect_race(
      "store_kernel runs in the default stream, the other in a different stream. Did you "
      "forget the stream? It is the fourth argument of a launch",
      kStoreLine, kLoadLine);
  EXPECT_EQ(
      facts_of(finding),
      "finding=stream_race access=store access=load between=streams stream=default of=launch");
  CUDA_CHECK(cudaStreamDestroy(non_blocking));
}

TEST_F(StreamRaces, AStreamThatIsCreatedLater) {
  store(0, stream[0], d_data[0]);
  cudaStream_t late = nullptr;
  CUDA_CHECK(cudaStreamCreate(&late));
  load(0, late, d_data[0], d_copy[0]);
  expect_race("race between streams", kStoreLine, kLoadLine);
  CUDA_CHECK(cudaStreamDestroy(late));
}

// ---- Copies and fills ----

TEST_F(StreamRaces, AKernelReadsTheResultOfACopy) {
  CUDA_CHECK(cudaMemcpyPeerAsync(d_data[1], 1, d_data[0], 0, kBytes, stream[0]));
  const int copy_line = __LINE__ - 1;
  load(1, stream[1], d_data[1], d_copy[1]);
  expect_race("cudaMemcpyPeerAsync on device 0 and load_kernel on device 1", copy_line, kLoadLine);
}

TEST_F(StreamRaces, AKernelReadsTheSourceOfACopy) {
  CUDA_CHECK(cudaMemcpyPeerAsync(d_data[1], 1, d_data[0], 0, kBytes, stream[0]));
  load(0, other[0], d_data[0], d_copy[0]);
  expect_nothing_found();
}

TEST_F(StreamRaces, AKernelOverwritesTheSourceOfACopy) {
  CUDA_CHECK(cudaMemcpyPeerAsync(d_data[1], 1, d_data[0], 0, kBytes, stream[1]));
  const int copy_line = __LINE__ - 1;
  store(0, stream[0], d_data[0]);
  expect_race("cudaMemcpyPeerAsync on device 1 and store_kernel on device 0", copy_line,
              kStoreLine);
}

TEST_F(StreamRaces, ACopyReadsTheOutputOfAKernel) {
  store(0, stream[0], d_data[0]);
  CUDA_CHECK(cudaMemcpyPeerAsync(d_data[1], 1, d_data[0], 0, kBytes, stream[1]));
  const int copy_line = __LINE__ - 1;
  expect_race("store_kernel on device 0 and cudaMemcpyPeerAsync on device 1", kStoreLine,
              copy_line);
}

TEST_F(StreamRaces, ACopyOverwritesTheInputOfAKernel) {
  load(1, stream[1], d_data[1], d_copy[1]);
  CUDA_CHECK(cudaMemcpyPeerAsync(d_data[1], 1, d_data[0], 0, kBytes, stream[0]));
  const int copy_line = __LINE__ - 1;
  expect_race("load_kernel on device 1 and cudaMemcpyPeerAsync on device 0", kLoadLine, copy_line);
}

TEST_F(StreamRaces, TwoCopies) {
  CUDA_CHECK(cudaMemcpyPeerAsync(d_data[1], 1, d_data[0], 0, kBytes, stream[0]));
  const int first_line = __LINE__ - 1;
  CUDA_CHECK(cudaMemcpyAsync(d_copy[1], d_data[1], kBytes, cudaMemcpyDefault, stream[1]));
  const int second_line = __LINE__ - 1;
  expect_race("cudaMemcpyPeerAsync on device 0 and cudaMemcpyAsync on device 1", first_line,
              second_line);
}

TEST_F(StreamRaces, AFill) {
  CUDA_CHECK(cudaMemsetAsync(d_data[1], 1, kBytes, stream[1]));
  const int fill_line = __LINE__ - 1;
  load(1, other[1], d_data[1], d_copy[1]);
  expect_race("cudaMemsetAsync and load_kernel both access it", fill_line, kLoadLine);
}

TEST_F(StreamRaces, CopiesThatTheHostWaitsFor) {
  const std::vector<int> host(64, 3);
  CUDA_CHECK(cudaMemcpy(d_data[1], host.data(), kBytes, cudaMemcpyHostToDevice));
  load(1, stream[1], d_data[1], d_copy[1]);
  expect_nothing_found();
}

TEST_F(StreamRaces, ACopyToTheHostDoesNotWaitForANonBlockingStream) {
  cudaStream_t non_blocking = nullptr;
  CUDA_CHECK(cudaStreamCreateWithFlags(&non_blocking, cudaStreamNonBlocking));
  store(0, non_blocking, d_data[0]);
  std::vector<int> host(64);
  CUDA_CHECK(cudaMemcpy(host.data(), d_data[0], kBytes, cudaMemcpyDeviceToHost));
  const int copy_line = __LINE__ - 1;
  const Finding finding =
      expect_race("store_kernel and cudaMemcpy both access it", kStoreLine, copy_line);
  EXPECT_EQ(facts_of(finding),
            "finding=stream_race access=store access=load between=streams stream=default of=call");
  CUDA_CHECK(cudaStreamDestroy(non_blocking));
}

TEST_F(StreamRaces, ACopyFromPageableMemoryCanReturnBeforeItsDataHasArrived) {
  cudaStream_t non_blocking = nullptr;
  CUDA_CHECK(cudaStreamCreateWithFlags(&non_blocking, cudaStreamNonBlocking));
  int *pageable = new int[64]{}, *pinned = nullptr;
  CUDA_CHECK(cudaMallocHost(&pinned, kBytes));
  std::fill_n(pinned, 64, 1);
  CUDA_CHECK(cudaMemcpy(d_data[0], pinned, kBytes, cudaMemcpyHostToDevice));
  load(0, non_blocking, d_data[0], d_copy[0]);
  CUDA_CHECK(cudaStreamSynchronize(non_blocking));
  CUDA_CHECK(cudaMemcpy(d_data[0], pageable, kBytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaStreamSynchronize(nullptr));
  load(0, non_blocking, d_data[0], d_copy[0]);
  expect_nothing_found();
  CUDA_CHECK(cudaStreamSynchronize(non_blocking));
  CUDA_CHECK(cudaMemcpy(d_data[0], pageable, kBytes, cudaMemcpyHostToDevice));
  const int copy_line = __LINE__ - 1;
  load(0, non_blocking, d_data[0], d_copy[0]);
  expect_race("can return before its data has arrived", copy_line, kLoadLine);
  CUDA_CHECK(cudaStreamDestroy(non_blocking));
  CUDA_CHECK(cudaFreeHost(pinned));
  delete[] pageable;
}

TEST_F(StreamRaces, CudaMemcpyPeerWaitsForBothDevices) {
  store(0, stream[0], d_data[0]);
  store(1, stream[1], d_data[1]);
  CUDA_CHECK(cudaMemcpyPeer(d_data[1], 1, d_data[0], 0, kBytes));
  load(1, stream[1], d_data[1], d_copy[1]);
  store(0, stream[0], d_data[0]);
  expect_nothing_found();
}

TEST_F(StreamRaces, PinnedMemoryThatACopyFills) {
  int* h_pinned = nullptr;
  CUDA_CHECK(cudaMallocHost(&h_pinned, kBytes));
  CUDA_CHECK(cudaMemcpyAsync(h_pinned, d_data[0], kBytes, cudaMemcpyDeviceToHost, stream[0]));
  const int first_line = __LINE__ - 1;
  CUDA_CHECK(cudaMemcpyAsync(d_data[1], h_pinned, kBytes, cudaMemcpyHostToDevice, stream[1]));
  const int second_line = __LINE__ - 1;
  expect_race("in host memory: cudaMemcpyAsync on device 0 and cudaMemcpyAsync on device 1",
              first_line, second_line);
  CUDA_CHECK(cudaFreeHost(h_pinned));
}

// ---- Graphs ----

TEST_F(StreamRaces, AGraphRunsInTheStreamItIsLaunchedInto) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  CUDA_CHECK(cudaStreamBeginCapture(stream[0], cudaStreamCaptureModeThreadLocal));
  store_kernel<<<1, 64, 0, stream[0]>>>(d_data[0], 5);
  CUDA_CHECK(cudaStreamEndCapture(stream[0], &graph));
  CUDA_CHECK(cudaGraphInstantiate(&executable, graph, 0));
  CUDA_CHECK(cudaGraphLaunch(executable, other[0]));
  load(0, other[0], d_data[0], d_copy[0]);
  EXPECT_TRUE(take_findings().empty());
  CUDA_CHECK(cudaGraphLaunch(executable, stream[0]));
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, "stream_race");
  CUDA_CHECK(cudaGraphExecDestroy(executable));
  CUDA_CHECK(cudaGraphDestroy(graph));
}

// ---- Bytes of one word ----

__global__ void store_byte_kernel(char* out) { *out = 1; }

TEST_F(StreamRaces, AdjacentBytes) {
  char* const d_bytes = reinterpret_cast<char*>(d_data[0]);
  store_byte_kernel<<<1, 1, 0, stream[0]>>>(d_bytes);
  CUDA_CHECK(cudaMemsetAsync(d_bytes + 1, 0, 4, other[0]));
  store_byte_kernel<<<1, 1, 0, stream[0]>>>(d_bytes + 5);
  expect_nothing_found();
}

TEST_F(StreamRaces, AByteOfBoth) {
  char* const d_bytes = reinterpret_cast<char*>(d_data[0]);
  const auto expect_byte_2 = [] {
    const Finding finding = only_finding();
    EXPECT_NE(finding.message.find("on byte 2 of an allocation"), std::string::npos)
        << finding.message;
  };
  store_byte_kernel<<<1, 1, 0, stream[0]>>>(d_bytes + 2);
  CUDA_CHECK(cudaMemsetAsync(d_bytes + 1, 0, 4, other[0]));
  expect_byte_2();
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaMemsetAsync(d_bytes + 1, 0, 4, other[0]));
  store_byte_kernel<<<1, 1, 0, stream[0]>>>(d_bytes + 2);
  expect_byte_2();
}

}  // namespace
