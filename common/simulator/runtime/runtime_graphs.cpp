// The runtime API's graph functions.

#include "runtime/device_memory.h"
#include "runtime/error_state.h"
#include "runtime/graph.h"
#include "runtime/memory_pools.h"
#include "runtime/stream_capture.h"
#include "runtime/stream_order.h"
#include "runtime/streams.h"

#include "simulator/graph_nodes.h"
#include "simulator/graphs.h"

#include <algorithm>
#include <cstdio>
#include <memory>

using cuda_simulator::report;
using cuda_simulator::StreamCapture;
using cuda_simulator::Streams;

struct CudaSimulatorGraphExec {
  cuda_simulator::RunnableNodes runnable;
  bool frees_at_launch = false;
};

namespace {

// The position of the node in the instance; nodes.size() without one.
std::size_t position_of(const CudaSimulatorGraphExec& executable, cudaGraphNode_t node) {
  const auto& originals = executable.runnable.originals;
  const auto found = std::find(originals.begin(), originals.end(), node);
  return static_cast<std::size_t>(found - originals.begin());
}

// Returns whether the memory of an earlier launch is freed, or frees it if the instance does so.
bool has_memory_to_allocate(const CudaSimulatorGraphExec& executable) {
  for (const CudaSimulatorGraphNode& node : executable.runnable.nodes) {
    if (!node.allocated || !cuda_simulator::is_graph_memory_live(node.allocated)) continue;
    if (!executable.frees_at_launch) {
      std::fprintf(
          stderr,
          "CUDA simulator: the graph cannot be launched again, because it allocates memory "
          "that was not freed after its last launch. Free the memory, or instantiate the "
          "graph with cudaGraphInstantiateFlagAutoFreeOnLaunch.\n");
      return false;
    }
    cuda_simulator::free_graph_memory(node.allocated);
  }
  return true;
}

// Compares the nodes of an instance with those of a graph that is to replace them.
cudaGraphExecUpdateResultInfo compare(const cuda_simulator::RunnableNodes& before,
                                      const cuda_simulator::RunnableNodes& now) {
  const std::size_t count = before.nodes.size();
  if (now.nodes.size() != count) return {cudaGraphExecUpdateErrorTopologyChanged, nullptr, nullptr};
  for (std::size_t i = 0; i < count; ++i) {
    const CudaSimulatorGraphNode &old = before.nodes[i], &node = now.nodes[i];
    if (old.type != node.type)
      return {cudaGraphExecUpdateErrorNodeTypeChanged, now.originals[i], nullptr};
    const bool is_fixed = node.allocated || node.type == cudaGraphNodeTypeMemFree || node.bodies;
    if (is_fixed) return {cudaGraphExecUpdateErrorNotSupported, now.originals[i], nullptr};
    const auto position = [](const cuda_simulator::RunnableNodes& all, cudaGraphNode_t one) {
      return std::find(all.originals.begin(), all.originals.end(), one) - all.originals.begin();
    };
    const bool has_same_dependencies =
        std::equal(old.after.begin(), old.after.end(), node.after.begin(), node.after.end(),
                   [&](auto a, auto b) { return position(before, a) == position(now, b); });
    if (!has_same_dependencies)
      return {cudaGraphExecUpdateErrorTopologyChanged, now.originals[i], nullptr};
  }
  return {cudaGraphExecUpdateSuccess, nullptr, nullptr};
}

}  // namespace

CudaSimulatorGraphNode* node_of(cudaGraphExec_t executable, cudaGraphNode_t node) {
  if (!executable) return nullptr;
  const std::size_t position = position_of(*executable, node);
  auto& nodes = executable->runnable.nodes;
  return position < nodes.size() ? &nodes[position] : nullptr;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return report(StreamCapture::get().begin(stream, mode));
}

// The nodes are added in order, so that those that the capture depends on are earlier ones.
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t*, const cudaGraphEdgeData*,
                                          std::size_t, cudaStreamCaptureMode mode) {
  if (!graph) return report(cudaErrorInvalidValue);
  return report(StreamCapture::get().begin(stream, mode, graph));
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  cudaGraph_t captured = nullptr;
  const cudaError_t error = StreamCapture::get().end(stream, &captured);
  if (graph) *graph = captured;
  return report(error);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** dependencies,
                                     const cudaGraphEdgeData** edges,
                                     std::size_t* dependency_count) {
  StreamCapture& capture = StreamCapture::get();
  if (!status) return report(cudaErrorInvalidValue);
  *status = capture.status(stream);
  if (*status != cudaStreamCaptureStatusActive) return report(cudaSuccess);
  const cudaGraph_t captured = capture.graph_of(stream);
  // What is captured next comes after the last node.
  static thread_local cudaGraphNode_t last = nullptr;
  last = captured->nodes.empty() ? nullptr : captured->nodes.back().get();
  if (id) *id = capture.point(stream).capture;
  if (graph) *graph = captured;
  if (dependencies) *dependencies = &last;
  if (edges) *edges = nullptr;
  if (dependency_count) *dependency_count = last ? 1 : 0;
  return report(cudaSuccess);
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t*,
                                                const cudaGraphEdgeData*, std::size_t, unsigned) {
  const bool is_active = StreamCapture::get().status(stream) == cudaStreamCaptureStatusActive;
  return report(is_active ? cudaSuccess : cudaErrorIllegalState);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  *status = StreamCapture::get().status(stream);
  return report(cudaSuccess);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  if (!graph || !count) return report(cudaErrorInvalidValue);
  const std::size_t room = nodes ? *count : 0;
  *count = nodes ? std::min(room, graph->nodes.size()) : graph->nodes.size();
  for (std::size_t i = 0; nodes && i < room; ++i)
    nodes[i] = i < *count ? graph->nodes[i].get() : nullptr;
  return report(cudaSuccess);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long flags) {
  if (!executable || !graph) return report(cudaErrorInvalidValue);
  auto made = std::make_unique<CudaSimulatorGraphExec>();
  made->frees_at_launch = (flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0;
  if (!make_runnable(*graph, made->runnable)) return report(cudaErrorInvalidValue);
  *executable = made.release();
  return report(cudaSuccess);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, cudaGraphNode_t*,
                                 char*, std::size_t) {
  return cudaGraphInstantiate(executable, graph);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  if (!executable) return report(cudaErrorInvalidValue);
  if (!Streams::get().find(stream)) return report(cudaErrorInvalidResourceHandle);
  if (!has_memory_to_allocate(*executable)) return report(cudaErrorInvalidValue);
  const auto run = [runnable = executable->runnable](cudaStream_t on) {
    const cuda_simulator::GraphStream all_on(on);
    runnable.run();
    return report(cudaSuccess);
  };
  return cuda_simulator::captured_or_done(stream, run, cudaGraphNodeTypeGraph);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t) {
  return report(executable ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* info) {
  if (!executable || !graph || !info) return report(cudaErrorInvalidValue);
  cuda_simulator::RunnableNodes now;
  *info = {cudaGraphExecUpdateErrorTopologyChanged, nullptr, nullptr};
  if (make_runnable(*graph, now)) *info = compare(executable->runnable, now);
  if (info->result != cudaGraphExecUpdateSuccess) return report(cudaErrorGraphExecUpdateFailure);
  // The nodes of the first graph remain the names of the instance's nodes.
  for (std::size_t i = 0; i < now.nodes.size(); ++i)
    executable->runnable.nodes[i].work = now.nodes[i].work;
  return report(cudaSuccess);
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphNode_t* error_node, cudaGraphExecUpdateResult* result) {
  cudaGraphExecUpdateResultInfo info{cudaGraphExecUpdateError, nullptr, nullptr};
  const cudaError_t error = cudaGraphExecUpdate(executable, graph, &info);
  if (error_node) *error_node = info.errorNode;
  if (result) *result = info.result;
  return error;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  if (!executable) return report(cudaErrorInvalidValue);
  delete executable;
  return report(cudaSuccess);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  if (!graph || graph->is_of_node) return report(cudaErrorInvalidValue);
  delete graph;
  return report(cudaSuccess);
}
