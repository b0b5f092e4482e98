#include "tests/simulator/run_kernel.h"
#include "tests/support/device_test.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <vector>

// Graphs that are built node by node, and memory that graphs and pools allocate.

namespace {

__global__ void times_kernel(int* values, int factor, int summand) {
  values[threadIdx.x] = values[threadIdx.x] * factor + summand;
}

__global__ void countdown_kernel(int* count, cudaGraphConditionalHandle handle) {
  cudaGraphSetConditional(handle, static_cast<unsigned>(--*count));
}

class GraphNodes : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped()) return;
    CUDA_CHECK(cudaGraphCreate(&graph_, 0));
    CUDA_CHECK(cudaStreamCreate(&stream_));
    d_values_.fill_bytes(0);
  }
  void TearDown() override {
    if (!graph_) return;
    EXPECT_EQ(cudaGraphDestroy(graph_), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
    DeviceTest::TearDown();
  }

  // d_values_[i] = d_values_[i] * factor + summand
  static cudaKernelNodeParams times(int*& d_values, int& factor, int& summand, void** arguments) {
    arguments[0] = &d_values;
    arguments[1] = &factor;
    arguments[2] = &summand;
    cudaKernelNodeParams parameters = {};
    parameters.func = (void*)times_kernel;
    parameters.gridDim = dim3(1);
    parameters.blockDim = dim3(kSize);
    parameters.kernelParams = arguments;
    return parameters;
  }
  cudaGraphNode_t add_times(cudaGraph_t graph, int factor, int summand,
                            const std::vector<cudaGraphNode_t>& after = {}) {
    void* arguments[3];
    int* d_values = d_values_.data();
    const cudaKernelNodeParams parameters = times(d_values, factor, summand, arguments);
    cudaGraphNode_t node = nullptr;
    EXPECT_EQ(cudaGraphAddKernelNode(&node, graph, after.data(), after.size(), &parameters),
              cudaSuccess);
    return node;
  }
  cudaGraphExec_t instance(unsigned long long flags = 0) {
    cudaGraphExec_t executable = nullptr;
    EXPECT_EQ(cudaGraphInstantiate(&executable, graph_, flags), cudaSuccess);
    return executable;
  }
  int first_value() { return d_values_.to_host()[0]; }
  int value_after_launch(cudaGraphExec_t executable) {
    EXPECT_EQ(cudaGraphLaunch(executable, stream_), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
    return first_value();
  }
  void destroy(cudaGraphExec_t executable) {
    EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  }
  cudaGraphNode_t add_memory(void*& pointer) {
    cudaMemAllocNodeParams parameters = {};
    parameters.poolProps.allocType = cudaMemAllocationTypePinned;
    parameters.poolProps.location = {cudaMemLocationTypeDevice, 0};
    parameters.bytesize = kBytes;
    cudaGraphNode_t node = nullptr;
    EXPECT_EQ(cudaGraphAddMemAllocNode(&node, graph_, nullptr, 0, &parameters), cudaSuccess);
    pointer = parameters.dptr;
    return node;
  }

  static constexpr int kSize = 8;
  static constexpr std::size_t kBytes = kSize * sizeof(int);
  DeviceBuffer<int> d_values_{kSize};
  cudaGraph_t graph_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

TEST_F(GraphNodes, RunAfterTheNodesThatTheyDependOn) {
  int h_values[kSize] = {}, calls = 0;
  cudaGraphNode_t copied = nullptr, called = nullptr, filled = nullptr;
  ASSERT_EQ(cudaGraphAddMemcpyNode1D(&copied, graph_, nullptr, 0, h_values, d_values_.data(),
                                     kBytes, cudaMemcpyDeviceToHost),
            cudaSuccess);
  const cudaGraphNode_t multiplied = add_times(graph_, 2, 0);
  const cudaGraphNode_t added = add_times(graph_, 1, 5);
  cudaMemsetParams fill = {};
  fill.dst = d_values_.data();
  fill.value = 0x01020304;
  fill.elementSize = 4;
  fill.width = kSize;
  fill.height = 1;
  ASSERT_EQ(cudaGraphAddMemsetNode(&filled, graph_, nullptr, 0, &fill), cudaSuccess);
  const cudaHostNodeParams call = {[](void* count) { ++*static_cast<int*>(count); }, &calls};
  ASSERT_EQ(cudaGraphAddHostNode(&called, graph_, &copied, 1, &call), cudaSuccess);
  const cudaGraphNode_t from[] = {filled, added, multiplied}, to[] = {added, multiplied, copied};
  ASSERT_EQ(cudaGraphAddDependencies(graph_, from, to, nullptr, 3), cudaSuccess);

  const cudaGraphExec_t executable = instance();
  value_after_launch(executable);
  EXPECT_EQ(h_values[kSize - 1], (0x01020304 + 5) * 2);
  EXPECT_EQ(calls, 1);
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  EXPECT_EQ(cudaGraphNodeGetType(called, &type), cudaSuccess);
  EXPECT_EQ(type, cudaGraphNodeTypeHost);
  destroy(executable);
}

TEST_F(GraphNodes, CannotDependOnEachOtherInACircle) {
  const cudaGraphNode_t first = add_times(graph_, 1, 1);
  const cudaGraphNode_t second = add_times(graph_, 1, 1, {first});
  cudaGraphExec_t executable = nullptr;
  const bool is_refused =
      cudaGraphAddDependencies(graph_, &second, &first, nullptr, 1) != cudaSuccess ||
      cudaGraphInstantiate(&executable, graph_, 0) != cudaSuccess;
  EXPECT_TRUE(is_refused);
  cudaGetLastError();
}

TEST_F(GraphNodes, GetNewParametersInAnInstance) {
  const cudaGraphNode_t node = add_times(graph_, 1, 10);
  const cudaGraphExec_t executable = instance(), other = instance();
  int* d_values = d_values_.data();
  int factor = 1, summand = 200;
  void* arguments[3];
  const cudaKernelNodeParams parameters = times(d_values, factor, summand, arguments);
  ASSERT_EQ(cudaGraphExecKernelNodeSetParams(executable, node, &parameters), cudaSuccess);
  summand = 1;  // the node has its own copy
  EXPECT_EQ(value_after_launch(executable), 200);
  EXPECT_EQ(value_after_launch(other), 210);
  destroy(executable);
  destroy(other);
}

TEST_F(GraphNodes, HoldACopyOfAnotherGraph) {
  cudaGraph_t child = nullptr, clone = nullptr;
  ASSERT_EQ(cudaGraphCreate(&child, 0), cudaSuccess);
  add_times(child, 10, 1, {add_times(child, 1, 7)});
  ASSERT_EQ(cudaGraphClone(&clone, child), cudaSuccess);
  ASSERT_EQ(cudaGraphDestroy(child), cudaSuccess);
  cudaGraphNode_t node = nullptr;
  ASSERT_EQ(cudaGraphAddChildGraphNode(&node, graph_, nullptr, 0, clone), cudaSuccess);
  ASSERT_EQ(cudaGraphDestroy(clone), cudaSuccess);
  add_times(graph_, 1, 100, {node});
  const cudaGraphExec_t executable = instance();
  EXPECT_EQ(value_after_launch(executable), 171);
  destroy(executable);
}

TEST_F(GraphNodes, AreReplacedByAGraphOfTheSameShape) {
  add_times(graph_, 1, 1);
  const cudaGraphExec_t executable = instance();
  cudaGraph_t next = nullptr;
  cudaGraphExecUpdateResultInfo info = {};
  ASSERT_EQ(cudaGraphCreate(&next, 0), cudaSuccess);
  add_times(next, 1, 30);
  EXPECT_EQ(cudaGraphExecUpdate(executable, next, &info), cudaSuccess);
  EXPECT_EQ(value_after_launch(executable), 30);
  add_times(next, 1, 30);
  EXPECT_EQ(cudaGraphExecUpdate(executable, next, &info), cudaErrorGraphExecUpdateFailure);
  EXPECT_EQ(info.result, cudaGraphExecUpdateErrorTopologyChanged);
  cudaGetLastError();
  EXPECT_EQ(cudaGraphDestroy(next), cudaSuccess);
  destroy(executable);
}

TEST_F(GraphNodes, AllocateMemoryAtEachLaunch) {
  void* d_memory = nullptr;
  int h_value = 0;
  const cudaGraphNode_t allocated = add_memory(d_memory);
  cudaGraphNode_t filled = nullptr, copied = nullptr, freed = nullptr;
  const cudaMemsetParams fill = {d_memory, 0, 9, 1, kBytes, 1};
  ASSERT_EQ(cudaGraphAddMemsetNode(&filled, graph_, &allocated, 1, &fill), cudaSuccess);
  ASSERT_EQ(cudaGraphAddMemcpyNode1D(&copied, graph_, &filled, 1, &h_value, d_memory,
                                     sizeof h_value, cudaMemcpyDeviceToHost),
            cudaSuccess);
  ASSERT_EQ(cudaGraphAddMemFreeNode(&freed, graph_, &copied, 1, d_memory), cudaSuccess);
  const cudaGraphExec_t executable = instance();
  for (int times = 0; times < 2; ++times) {
    h_value = 0;
    value_after_launch(executable);
    EXPECT_EQ(h_value, 0x09090909);
  }
  destroy(executable);
}

TEST_F(GraphNodes, DoNotAllocateMemoryThatIsNotFreed) {
  void* d_memory = nullptr;
  add_memory(d_memory);
  const cudaGraphExec_t executable = instance();
  value_after_launch(executable);
  EXPECT_EQ(cudaMemset(d_memory, 0, kBytes), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(executable, stream_), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeAsync(d_memory, stream_), cudaSuccess);
  value_after_launch(executable);
  EXPECT_EQ(cudaFree(d_memory), cudaSuccess);
  destroy(executable);
}

TEST_F(GraphNodes, FreeTheMemoryOfTheLastLaunchOnRequest) {
  void* d_memory = nullptr;
  add_memory(d_memory);
  const cudaGraphExec_t executable = instance(cudaGraphInstantiateFlagAutoFreeOnLaunch);
  value_after_launch(executable);
  value_after_launch(executable);
  EXPECT_EQ(cudaFree(d_memory), cudaSuccess);
  destroy(executable);
}

TEST_F(GraphNodes, AllocateMemoryThatIsCaptured) {
  cudaGraph_t captured = nullptr;
  cudaGraphExec_t executable = nullptr;
  int *d_memory = nullptr, h_value = 0;
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(cudaMallocAsync(&d_memory, kBytes, stream_), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(d_memory, 3, kBytes, stream_), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(&h_value, d_memory, 4, cudaMemcpyDeviceToHost, stream_), cudaSuccess);
  ASSERT_EQ(cudaFreeAsync(d_memory, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(stream_, &captured), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&executable, captured, 0), cudaSuccess);
  value_after_launch(executable);
  EXPECT_EQ(h_value, 0x03030303);
  EXPECT_EQ(cudaGraphDestroy(captured), cudaSuccess);
  destroy(executable);
}

TEST_F(GraphNodes, RepeatAGraphWhileAKernelSetsTheCondition) {
  DeviceBuffer<int> d_count(std::vector<int>{4});
  cudaGraphConditionalHandle handle = 0;
  ASSERT_EQ(cudaGraphConditionalHandleCreate(&handle, graph_, 1, cudaGraphCondAssignDefault),
            cudaSuccess);
  cudaGraphNodeParams loop = {};
  loop.type = cudaGraphNodeTypeConditional;
  loop.conditional.handle = handle;
  loop.conditional.type = cudaGraphCondTypeWhile;
  loop.conditional.size = 1;
  cudaGraphNode_t node = nullptr;
  ASSERT_EQ(cudaGraphAddNode(&node, graph_, nullptr, nullptr, 0, &loop), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCaptureToGraph(stream_, loop.conditional.phGraph_out[0], nullptr,
                                          nullptr, 0, cudaStreamCaptureModeRelaxed),
            cudaSuccess);
  countdown_kernel<<<1, 1, 0, stream_>>>(d_count.data(), handle);
  times_kernel<<<1, kSize, 0, stream_>>>(d_values_.data(), 1, 11);
  ASSERT_EQ(cudaStreamEndCapture(stream_, nullptr), cudaSuccess);
  const cudaGraphExec_t executable = instance();
  EXPECT_EQ(value_after_launch(executable), 44);
  destroy(executable);
}

class MemoryPools : public DeviceTest {};

TEST_F(MemoryPools, CountTheirBytes) {
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  cudaMemPool_t pool = nullptr;
  ASSERT_EQ(cudaMemPoolCreate(&pool, &properties), cudaSuccess);
  constexpr unsigned long long kBytes = 4 << 20;
  const auto bytes = [=](cudaMemPoolAttr attribute) {
    unsigned long long value = 0;
    EXPECT_EQ(cudaMemPoolGetAttribute(pool, attribute, &value), cudaSuccess);
    return value;
  };
  unsigned long long threshold = ~0ull;
  EXPECT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold),
            cudaSuccess);
  void* d_memory = nullptr;
  ASSERT_EQ(cudaMallocFromPoolAsync(&d_memory, kBytes, pool, nullptr), cudaSuccess);
  EXPECT_EQ(bytes(cudaMemPoolAttrUsedMemCurrent), kBytes);
  EXPECT_EQ(cudaFreeAsync(d_memory, nullptr), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(bytes(cudaMemPoolAttrUsedMemCurrent), 0u);
  EXPECT_EQ(bytes(cudaMemPoolAttrUsedMemHigh), kBytes);
  EXPECT_GE(bytes(cudaMemPoolAttrReservedMemCurrent), kBytes);
  EXPECT_EQ(cudaMemPoolTrimTo(pool, 0), cudaSuccess);
  EXPECT_EQ(bytes(cudaMemPoolAttrReservedMemCurrent), 0u);
  EXPECT_EQ(cudaMemPoolDestroy(pool), cudaSuccess);
}

}  // namespace
