// The runtime API's functions that add nodes to a graph, and change them.

#include "runtime/copies.h"
#include "runtime/device_memory.h"
#include "runtime/devices.h"
#include "runtime/error_state.h"
#include "runtime/graph.h"
#include "runtime/memory_pools.h"
#include "runtime/stream_capture.h"
#include "runtime/stream_order.h"
#include "runtime/streams.h"

#include "simulator/graph_nodes.h"
#include "simulator/kernels_as_values.h"
#include "simulator/warp_functions.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <mutex>

using cuda_simulator::CopyCall;
using cuda_simulator::GraphCondition;
using cuda_simulator::GraphStream;
using cuda_simulator::report;

CudaSimulatorGraphNode* node_of(cudaGraphExec_t executable, cudaGraphNode_t node);

// In this namespace, because kernels use it: the veil hides the variables of others.
namespace cuda_simulator {
namespace {

// The conditions that a program has handles of, numbered from 1.
struct Conditions {
  std::mutex mutex;
  std::map<cudaGraphConditionalHandle, std::weak_ptr<GraphCondition>> of_handle;
};

Conditions& conditions() {
  static Conditions& all =
      *new Conditions;  // never destroyed: a program's own objects may end later
  return all;
}

}  // namespace
}  // namespace cuda_simulator

using cuda_simulator::conditions;

namespace {

using Work = std::function<void()>;  // empty: the parameters are wrong

cudaError_t add(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                std::size_t count, CudaSimulatorGraphNode made) {
  if (!node || !graph || (count > 0 && !after)) return report(cudaErrorInvalidValue);
  made.after.assign(after, after + count);
  for (const cudaGraphNode_t earlier : made.after) {
    const bool is_known =
        std::any_of(graph->nodes.begin(), graph->nodes.end(),
                    [=](const auto& candidate) { return candidate.get() == earlier; });
    if (!is_known) return report(cudaErrorInvalidValue);
  }
  graph->nodes.push_back(std::make_shared<CudaSimulatorGraphNode>(std::move(made)));
  *node = graph->nodes.back().get();
  return report(cudaSuccess);
}

cudaError_t add(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                std::size_t count, cudaGraphNodeType type, Work work) {
  if (!work) return report(cudaErrorInvalidValue);
  return add(node, graph, after, count, {type, std::move(work)});
}

// The launch is captured from a stream of its own, which copies the arguments and checks the grid.
cudaError_t kernel_work(const cudaKernelNodeParams* p, Work& work) {
  if (!p || !p->func) return cudaErrorInvalidValue;
  if (p->extra) {
    std::fprintf(stderr,
                 "CUDA simulator: `extra` of a kernel node is not simulated. Set kernelParams to "
                 "the addresses of the kernel's arguments.\n");
    return cudaErrorNotSupported;
  }
  auto& streams = cuda_simulator::Streams::get();
  auto& capture = cuda_simulator::StreamCapture::get();
  const cudaStream_t stream = streams.create(0, /*is_blocking=*/false);
  CudaSimulatorGraph captured;
  capture.begin(stream, cudaStreamCaptureModeRelaxed, &captured);
  const cudaError_t error = cuda_simulator::launch_by_address(
      p->func, {p->gridDim, p->blockDim, p->sharedMemBytes, stream}, p->kernelParams);
  cudaGraph_t graph = nullptr;
  capture.end(stream, &graph);
  streams.destroy(stream);
  if (error == cudaSuccess && !captured.nodes.empty()) work = captured.nodes[0]->work;
  return error;
}

Work copy_work(const cudaMemcpy3DParms* parameters, const CopyCall& call) {
  if (!parameters) return nullptr;
  return
      [p = *parameters, call] { cuda_simulator::copy_slices(p, {GraphStream::current()}, call); };
}

Work fill_work(const cudaMemsetParams* parameters, const CopyCall& call) {
  const auto is_valid = [](const cudaMemsetParams& p) {
    return p.elementSize == 1 || p.elementSize == 2 || p.elementSize == 4;
  };
  if (!parameters || !is_valid(*parameters)) return nullptr;
  return [p = *parameters, call] {
    const std::size_t bytes = p.width * p.elementSize, pitch = p.height > 1 ? p.pitch : bytes;
    cuda_simulator::fill(p.dst, static_cast<int>(p.value), {bytes, p.height, pitch, pitch},
                         {GraphStream::current()}, call, p.elementSize);
  };
}

Work host_work(const cudaHostNodeParams* parameters) {
  if (!parameters || !parameters->fn) return nullptr;
  return [p = *parameters] {
    if (auto* const order = cuda_simulator::stream_order()) order->host_function_runs(nullptr);
    p.fn(p.userData);
  };
}

cudaError_t set(CudaSimulatorGraphNode* node, cudaGraphNodeType type, Work work) {
  if (!node || node->type != type || !work) return report(cudaErrorInvalidValue);
  node->work = std::move(work);
  return report(cudaSuccess);
}

cudaError_t set_kernel(CudaSimulatorGraphNode* node, const cudaKernelNodeParams* parameters) {
  Work work;
  if (const cudaError_t error = kernel_work(parameters, work)) return report(error);
  return set(node, cudaGraphNodeTypeKernel, std::move(work));
}

std::shared_ptr<GraphCondition> condition_of(cudaGraphConditionalHandle handle) {
  const std::lock_guard<std::mutex> lock(conditions().mutex);
  const auto found = conditions().of_handle.find(handle);
  return found == conditions().of_handle.end() ? nullptr : found->second.lock();
}

cudaError_t add_conditional(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                            std::size_t count, cudaConditionalNodeParams& p) {
  const unsigned most = p.type == cudaGraphCondTypeWhile ? 1
                        : p.type == cudaGraphCondTypeIf  ? 2
                                                         : ~0u;
  auto condition = condition_of(p.handle);
  if (!condition || p.size == 0 || p.size > most) return report(cudaErrorInvalidValue);
  CudaSimulatorGraphNode made(cudaGraphNodeTypeConditional, [] {});
  made.bodies = std::make_shared<cuda_simulator::ConditionalBodies>();
  made.bodies->condition = std::move(condition);
  made.bodies->type = p.type;
  for (unsigned i = 0; i < p.size; ++i) {
    made.bodies->graphs.push_back(std::make_unique<CudaSimulatorGraph>());
    made.bodies->graphs.back()->is_of_node = true;
    made.bodies->handles.push_back(made.bodies->graphs.back().get());
  }
  p.phGraph_out = made.bodies->handles.data();
  return add(node, graph, after, count, std::move(made));
}

}  // namespace

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  if (!graph || flags != 0) return report(cudaErrorInvalidValue);
  *graph = new CudaSimulatorGraph;
  return report(cudaSuccess);
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph) {
  if (!clone || !graph) return report(cudaErrorInvalidValue);
  std::map<cudaGraphNode_t, cudaGraphNode_t> copy_of;
  auto copies = std::make_unique<CudaSimulatorGraph>();
  for (const auto& node : graph->nodes) {
    if (node->bodies || node->allocated) return report(cudaErrorNotSupported);
    copies->nodes.push_back(std::make_shared<CudaSimulatorGraphNode>(*node));
    copy_of[node.get()] = copies->nodes.back().get();
  }
  for (const auto& node : copies->nodes) {
    for (cudaGraphNode_t& earlier : node->after) earlier = copy_of[earlier];
  }
  *clone = copies.release();
  return report(cudaSuccess);
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, std::size_t after_count,
                                   const cudaKernelNodeParams* parameters) {
  Work work;
  if (const cudaError_t error = kernel_work(parameters, work)) return report(error);
  return add(node, graph, after, after_count, cudaGraphNodeTypeKernel, std::move(work));
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, std::size_t after_count,
                                   const cudaMemcpy3DParms* parameters) {
  return add(node, graph, after, after_count, cudaGraphNodeTypeMemcpy,
             copy_work(parameters, {"cudaGraphAddMemcpyNode", __builtin_return_address(0)}));
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* after, std::size_t after_count,
                                     void* destination, const void* source, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  const CopyCall call{"cudaGraphAddMemcpyNode1D", __builtin_return_address(0)};
  return add(node, graph, after, after_count, cudaGraphNodeTypeMemcpy, [=] {
    cuda_simulator::copy(destination, source, {bytes, 1, bytes, bytes}, kind,
                         {GraphStream::current()}, call);
  });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, std::size_t after_count,
                                   const cudaMemsetParams* parameters) {
  return add(node, graph, after, after_count, cudaGraphNodeTypeMemset,
             fill_work(parameters, {"cudaGraphAddMemsetNode", __builtin_return_address(0)}));
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* after, std::size_t after_count,
                                 const cudaHostNodeParams* parameters) {
  return add(node, graph, after, after_count, cudaGraphNodeTypeHost, host_work(parameters));
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* after, std::size_t after_count,
                                       cudaGraph_t child) {
  cuda_simulator::RunnableNodes runnable;
  if (!child || !make_runnable(*child, runnable)) return report(cudaErrorInvalidValue);
  for (const CudaSimulatorGraphNode& one : runnable.nodes) {
    if (one.bodies || one.allocated) return report(cudaErrorNotSupported);
  }
  return add(node, graph, after, after_count, cudaGraphNodeTypeGraph,
             [runnable = std::move(runnable)] { runnable.run(); });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* after, std::size_t after_count) {
  return add(node, graph, after, after_count, cudaGraphNodeTypeEmpty, [] {});
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* after, std::size_t after_count,
                                        cudaEvent_t event) {
  if (!event) return report(cudaErrorInvalidValue);
  return add(node, graph, after, after_count, cudaGraphNodeTypeEventRecord,
             [=] { cudaEventRecord(event, GraphStream::current()); });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                      const cudaGraphNode_t* after, std::size_t after_count,
                                      cudaEvent_t event) {
  if (!event) return report(cudaErrorInvalidValue);
  return add(node, graph, after, after_count, cudaGraphNodeTypeWaitEvent,
             [=] { cudaStreamWaitEvent(GraphStream::current(), event); });
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* after, std::size_t after_count,
                                     cudaMemAllocNodeParams* p) {
  const bool is_valid = p && p->poolProps.allocType == cudaMemAllocationTypePinned &&
                        p->poolProps.location.type == cudaMemLocationTypeDevice &&
                        cuda_simulator::is_device(p->poolProps.location.id);
  if (!is_valid) return report(cudaErrorInvalidValue);
  const cuda_simulator::DeviceChoice choice(p->poolProps.location.id);
  void* const memory = p->dptr = cuda_simulator::reserve_graph_memory(p->bytesize);
  if (!memory) return report(cudaErrorMemoryAllocation);
  CudaSimulatorGraphNode made(cudaGraphNodeTypeMemAlloc,
                              [=] { cuda_simulator::allocate_graph_memory(memory); });
  made.allocated = memory;
  return add(node, graph, after, after_count, std::move(made));
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                    const cudaGraphNode_t* after, std::size_t after_count,
                                    void* pointer) {
  if (!pointer) return report(cudaErrorInvalidValue);
  return add(node, graph, after, after_count, cudaGraphNodeTypeMemFree,
             [=] { cuda_simulator::free_graph_memory(pointer); });
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                             const cudaGraphEdgeData*, std::size_t after_count,
                             cudaGraphNodeParams* p) {
  if (!p) return report(cudaErrorInvalidValue);
  const CopyCall call{"cudaGraphAddNode", __builtin_return_address(0)};
  switch (p->type) {
    case cudaGraphNodeTypeKernel:
      return cudaGraphAddKernelNode(node, graph, after, after_count, &p->kernel);
    case cudaGraphNodeTypeMemcpy:
      return add(node, graph, after, after_count, p->type, copy_work(&p->memcpy.copyParams, call));
    case cudaGraphNodeTypeMemset:
      return add(node, graph, after, after_count, p->type, fill_work(&p->memset, call));
    case cudaGraphNodeTypeHost:
      return cudaGraphAddHostNode(node, graph, after, after_count, &p->host);
    case cudaGraphNodeTypeGraph:
      return cudaGraphAddChildGraphNode(node, graph, after, after_count, p->graph.graph);
    case cudaGraphNodeTypeEmpty:
      return cudaGraphAddEmptyNode(node, graph, after, after_count);
    case cudaGraphNodeTypeWaitEvent:
      return cudaGraphAddEventWaitNode(node, graph, after, after_count, p->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
      return cudaGraphAddEventRecordNode(node, graph, after, after_count, p->eventRecord.event);
    case cudaGraphNodeTypeMemAlloc:
      return cudaGraphAddMemAllocNode(node, graph, after, after_count, &p->alloc);
    case cudaGraphNodeTypeMemFree:
      return cudaGraphAddMemFreeNode(node, graph, after, after_count, p->free.dptr);
    case cudaGraphNodeTypeConditional:
      return add_conditional(node, graph, after, after_count, p->conditional);
  }
  return report(cudaErrorInvalidValue);
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                     std::size_t count) {
  if (!graph || (count > 0 && (!from || !to))) return report(cudaErrorInvalidValue);
  for (std::size_t i = 0; i < count; ++i) to[i]->after.push_back(from[i]);
  return report(cudaSuccess);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  if (!node || !type) return report(cudaErrorInvalidValue);
  *type = node->type;
  return report(cudaSuccess);
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const cudaKernelNodeParams* parameters) {
  return set_kernel(node, parameters);
}
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                         const cudaMemcpy3DParms* parameters) {
  return set(node, cudaGraphNodeTypeMemcpy,
             copy_work(parameters, {"cudaGraphMemcpyNodeSetParams", __builtin_return_address(0)}));
}
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* parameters) {
  return set(node, cudaGraphNodeTypeMemset,
             fill_work(parameters, {"cudaGraphMemsetNodeSetParams", __builtin_return_address(0)}));
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* parameters) {
  return set(node, cudaGraphNodeTypeHost, host_work(parameters));
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* parameters) {
  return set_kernel(node_of(executable, node), parameters);
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* parameters) {
  return cudaGraphMemcpyNodeSetParams(node_of(executable, node), parameters);
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemsetParams* parameters) {
  return cudaGraphMemsetNodeSetParams(node_of(executable, node), parameters);
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                           const cudaHostNodeParams* parameters) {
  return cudaGraphHostNodeSetParams(node_of(executable, node), parameters);
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph,
                                             unsigned at_launch, unsigned flags) {
  if (!handle || !graph || flags > cudaGraphCondAssignDefault) return report(cudaErrorInvalidValue);
  const GraphCondition made{0, at_launch, flags == cudaGraphCondAssignDefault};
  graph->conditions.push_back(std::make_shared<GraphCondition>(made));
  const std::lock_guard<std::mutex> lock(conditions().mutex);
  *handle = conditions().of_handle.size() + 1;
  conditions().of_handle[*handle] = graph->conditions.back();
  return report(cudaSuccess);
}

void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value) {
  if (const auto condition = condition_of(handle)) {
    condition->value = value;
    return;
  }
  std::fprintf(
      stderr,
      "CUDA simulator: cudaGraphSetConditional got %llu, which is not a handle of a graph. "
      "Create it with cudaGraphConditionalHandleCreate.\n",
      handle);
  __trap();
}
