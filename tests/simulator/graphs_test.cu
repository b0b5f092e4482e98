#include "tests/simulator/run_kernel.h"
#include "tests/support/device_test.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

// Work that is captured from streams and launched as a graph.

namespace {

__global__ void add_kernel(int* values, int n, int amount) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) values[i] += amount;
}

__global__ void clear_kernel(int* values, int, int) { values[threadIdx.x] = 0; }

class Graphs : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped()) return;
    CUDA_CHECK(cudaStreamCreate(&stream_));
    CUDA_CHECK(cudaStreamCreate(&other_));
    CUDA_CHECK(cudaEventCreate(&forked_));
    CUDA_CHECK(cudaEventCreate(&joined_));
    d_values_.fill_bytes(0);
  }
  void TearDown() override {
    if (!stream_) return;
    EXPECT_EQ(cudaEventDestroy(forked_), cudaSuccess);
    EXPECT_EQ(cudaEventDestroy(joined_), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(other_), cudaSuccess);
    DeviceTest::TearDown();
  }

  void add(int amount, cudaStream_t stream) {
    add_kernel<<<2, 32, 0, stream>>>(d_values_.data(), kSize, amount);
    ASSERT_EQ(cudaGetLastError(), cudaSuccess);
  }
  cudaGraph_t end() {
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
    return graph;
  }
  // Destroys the graph: an instance outlives it.
  cudaGraphExec_t instance_of(cudaGraph_t graph) {
    cudaGraphExec_t executable = nullptr;
    EXPECT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
    return executable;
  }
  std::vector<int> values() {
    CUDA_CHECK(cudaStreamSynchronize(stream_));
    return d_values_.to_host();
  }

  static constexpr int kSize = 50;
  DeviceBuffer<int> d_values_{kSize};
  cudaStream_t stream_ = nullptr, other_ = nullptr;
  cudaEvent_t forked_ = nullptr, joined_ = nullptr;
};

TEST_F(Graphs, RunTheCapturedWorkAtEachLaunch) {
  int h_copy[kSize] = {};
  int amount = 3;
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), cudaSuccess);
  add(amount, stream_);
  amount = 1000;  // the graph has its own copy of the argument
  add(4, stream_);
  ASSERT_EQ(
      cudaMemcpyAsync(h_copy, d_values_.data(), sizeof h_copy, cudaMemcpyDeviceToHost, stream_),
      cudaSuccess);
  cudaGraph_t graph = end();
  std::size_t nodes = 0;
  EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
  EXPECT_EQ(nodes, 3u);
  EXPECT_EQ(values(), std::vector<int>(kSize, 0));  // nothing has run

  cudaGraphExec_t executable = instance_of(graph);
  for (int times = 1; times <= 3; ++times) {
    ASSERT_EQ(cudaGraphLaunch(executable, stream_), cudaSuccess);
    EXPECT_EQ(values(), std::vector<int>(kSize, 7 * times));
    EXPECT_EQ(h_copy[kSize - 1], 7 * times);
  }
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
}

TEST_F(Graphs, KeepTheKernelToWhichAPointerPointed) {
  void (*kernel)(int*, int, int) = add_kernel;
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), cudaSuccess);
  kernel<<<2, 32, 0, stream_>>>(d_values_.data(), kSize, 3);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  kernel = clear_kernel;
  const cudaGraphExec_t executable = instance_of(end());
  kernel<<<1, 32, 0, stream_>>>(d_values_.data(), kSize, 0);
  EXPECT_EQ(cudaGraphLaunch(executable, stream_), cudaSuccess);
  EXPECT_EQ(values(), std::vector<int>(kSize, 3));
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
}

TEST_F(Graphs, HoldFillsAndHostFunctions) {
  int calls = 0;
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(d_values_.data(), 0x01, kSize * sizeof(int), stream_), cudaSuccess);
  ASSERT_EQ(cudaLaunchHostFunc(
                stream_, [](void* count) { ++*static_cast<int*>(count); }, &calls),
            cudaSuccess);
  cudaGraphExec_t executable = instance_of(end());
  EXPECT_EQ(calls, 0);
  ASSERT_EQ(cudaGraphLaunch(executable, stream_), cudaSuccess);
  EXPECT_EQ(values(), std::vector<int>(kSize, 0x01010101));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
}

TEST_F(Graphs, CaptureStreamsThatWaitForACapturedOne) {
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), cudaSuccess);
  add(1, stream_);
  ASSERT_EQ(cudaEventRecord(forked_, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(other_, forked_), cudaSuccess);
  add(10, other_);
  ASSERT_EQ(cudaEventRecord(joined_, other_), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(stream_, joined_), cudaSuccess);
  cudaGraphExec_t executable = instance_of(end());
  ASSERT_EQ(cudaGraphLaunch(executable, stream_), cudaSuccess);
  EXPECT_EQ(values(), std::vector<int>(kSize, 11));
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  add(100, other_);  // it is no longer captured
  ASSERT_EQ(cudaStreamSynchronize(other_), cudaSuccess);
  EXPECT_EQ(values(), std::vector<int>(kSize, 111));
}

TEST_F(Graphs, NeedEachStreamToBeJoined) {
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(forked_, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(other_, forked_), cudaSuccess);
  add(10, other_);
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaErrorStreamCaptureUnjoined);
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(cudaGetLastError(), cudaErrorStreamCaptureUnjoined);
}

TEST_F(Graphs, AreInvalidatedByWaitingForCapturedWork) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(cudaStreamIsCapturing(stream_, &status), cudaSuccess);
  EXPECT_EQ(status, cudaStreamCaptureStatusActive);
  EXPECT_EQ(cudaStreamSynchronize(stream_), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaStreamIsCapturing(stream_, &status), cudaSuccess);
  EXPECT_EQ(status, cudaStreamCaptureStatusInvalidated);
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(cudaStreamIsCapturing(stream_, &status), cudaSuccess);
  EXPECT_EQ(status, cudaStreamCaptureStatusNone);
  cudaGetLastError();
}

__constant__ int digits[2];

__global__ void digits_kernel(int* values, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) values[i] = digits[0] * 10 + digits[1];
}

// The default stream waits for the blocking streams, and one of them is captured.
TEST_F(Graphs, AreInvalidatedByWorkInTheDefaultStream) {
  int h_values[kSize] = {};
  int* const d_values = d_values_.data();
  cudaMemcpy3DParms volume{};
  volume.srcPtr = make_cudaPitchedPtr(h_values, sizeof h_values, kSize, 1);
  volume.dstPtr = make_cudaPitchedPtr(d_values, sizeof h_values, kSize, 1);
  volume.extent = make_cudaExtent(sizeof h_values, 1, 1);
  volume.kind = cudaMemcpyHostToDevice;
  const std::function<cudaError_t()> copies[] = {
      [&] { return cudaMemcpy(d_values, h_values, 8, cudaMemcpyHostToDevice); },
      [&] { return cudaMemcpy2D(d_values, 8, h_values, 8, 4, 2, cudaMemcpyHostToDevice); },
      [&] { return cudaMemcpy3D(&volume); },
      [&] { return cudaMemcpyToSymbol(digits, h_values, sizeof digits); },
      [&] { return cudaMemcpyFromSymbol(h_values, digits, sizeof digits); },
      [&] { return cudaMemset(d_values, 0, 8); },
      [&] { return cudaMemcpyAsync(d_values, h_values, 8, cudaMemcpyHostToDevice, nullptr); },
      [&] { return cudaStreamSynchronize(nullptr); },
      [&] {
        digits_kernel<<<1, 32>>>(d_values, kSize);
        return cudaGetLastError();
      }};
  for (const auto& copy : copies) {
    const auto number = &copy - copies;
    ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), cudaSuccess);
    EXPECT_EQ(copy(), cudaErrorStreamCaptureImplicit) << number;
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaErrorStreamCaptureInvalidated) << number;
    cudaGetLastError();
    EXPECT_EQ(copy(), cudaSuccess) << number;
  }
}

TEST_F(Graphs, AreInvalidatedByMemoryThatIsFreed) {
  int* d_other = nullptr;
  ASSERT_EQ(cudaMalloc(&d_other, 8), cudaSuccess);
  for (int* const pointer : {d_other, static_cast<int*>(nullptr)}) {
    ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), cudaSuccess);
    EXPECT_EQ(cudaFree(pointer), cudaErrorStreamCaptureUnsupported);
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaErrorStreamCaptureInvalidated);
    cudaGetLastError();
  }
  EXPECT_EQ(cudaFree(d_other), cudaSuccess);
}

TEST_F(Graphs, OfANonBlockingStreamDoNotAffectTheDefaultStream) {
  cudaStream_t apart = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking), cudaSuccess);
  const int h_seven[] = {7};
  ASSERT_EQ(cudaStreamBeginCapture(apart, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(cudaMemset(d_values_.data(), 0, 8), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(d_values_.data(), h_seven, 4, cudaMemcpyHostToDevice), cudaSuccess);
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(apart, &graph), cudaSuccess);
  EXPECT_EQ(values()[0], 7);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(apart), cudaSuccess);
}

TEST_F(Graphs, HoldCopiesOfVariables) {
  int h_digits[2] = {}, h_copy[2] = {};
  ASSERT_EQ(cudaMemcpyToSymbol(digits, h_digits, sizeof digits), cudaSuccess);
  digits_kernel<<<2, 32>>>(d_values_.data(), kSize);  // a GPU loads it now
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(
      cudaMemcpyToSymbolAsync(digits, h_digits, sizeof digits, 0, cudaMemcpyHostToDevice, stream_),
      cudaSuccess);
  digits_kernel<<<2, 32, 0, stream_>>>(d_values_.data(), kSize);
  ASSERT_EQ(
      cudaMemcpyFromSymbolAsync(h_copy, digits, sizeof digits, 0, cudaMemcpyDeviceToHost, stream_),
      cudaSuccess);
  cudaGraphExec_t executable = instance_of(end());
  h_digits[0] = 4;
  h_digits[1] = 2;
  ASSERT_EQ(cudaGraphLaunch(executable, stream_), cudaSuccess);
  EXPECT_EQ(values(), std::vector<int>(kSize, 42));
  EXPECT_EQ(h_copy[0], 4);
  EXPECT_EQ(h_copy[1], 2);
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
}

TEST_F(Graphs, AreNotCapturedFromTheDefaultStream) {
  EXPECT_EQ(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal),
            cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaGetLastError(), cudaErrorStreamCaptureUnsupported);
}

}  // namespace
