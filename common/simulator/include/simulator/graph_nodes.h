#pragma once

#include "simulator/graphs.h"
#include "simulator/memory_3d.h"
#include "simulator/memory_pools.h"
#include "simulator/vector_types.h"

#include <cstddef>

// Graphs that are built node by node. A node runs after the nodes that it depends on; nodes that do
// not depend on each other run in the order in which they were added. The nodes of a graph count as
// work of one stream: the traced build finds no races between them.

enum cudaGraphNodeType {
  cudaGraphNodeTypeKernel = 0,
  cudaGraphNodeTypeMemcpy = 1,
  cudaGraphNodeTypeMemset = 2,
  cudaGraphNodeTypeHost = 3,
  cudaGraphNodeTypeGraph = 4,
  cudaGraphNodeTypeEmpty = 5,
  cudaGraphNodeTypeWaitEvent = 6,
  cudaGraphNodeTypeEventRecord = 7,
  cudaGraphNodeTypeMemAlloc = 10,
  cudaGraphNodeTypeMemFree = 11,
  cudaGraphNodeTypeConditional = 13,
};

// func: (void*) and the kernel's name. kernelParams: the address of each argument; the arguments
// are copied when the node is added. extra must be nullptr.
struct cudaKernelNodeParams {
  void* func;
  dim3 gridDim, blockDim;
  unsigned sharedMemBytes;
  void** kernelParams;
  void** extra;
};
// Elements of 1, 2 or 4 bytes; width: elements of a row; pitch: bytes, ignored if height is 1.
struct cudaMemsetParams {
  void* dst;
  std::size_t pitch;
  unsigned value, elementSize;
  std::size_t width, height;
};
struct cudaHostNodeParams {
  cudaHostFn_t fn;
  void* userData;
};
struct cudaMemcpyNodeParams {
  int flags;
  int reserved[3];
  cudaMemcpy3DParms copyParams;
};
struct cudaChildGraphNodeParams {
  cudaGraph_t graph;
};
struct cudaEventRecordNodeParams {
  cudaEvent_t event;
};
typedef cudaEventRecordNodeParams cudaEventWaitNodeParams;
// The device of poolProps allocates bytesize bytes; cudaGraphAddMemAllocNode() sets dptr.
struct cudaMemAllocNodeParams {
  cudaMemPoolProps poolProps;
  const cudaMemAccessDesc* accessDescs;
  std::size_t accessDescCount, bytesize;
  void* dptr;
};
struct cudaMemFreeNodeParams {
  void* dptr;
};

typedef unsigned long long cudaGraphConditionalHandle;
enum cudaGraphConditionalHandleFlags { cudaGraphCondAssignDefault = 1 };
enum cudaGraphConditionalNodeType {
  cudaGraphCondTypeIf = 0,
  cudaGraphCondTypeWhile = 1,
  cudaGraphCondTypeSwitch = 2,
};
// Adding the node sets phGraph_out to its `size` empty graphs, which belong to the node.
struct cudaConditionalNodeParams {
  cudaGraphConditionalHandle handle;
  cudaGraphConditionalNodeType type;
  unsigned size;
  cudaGraph_t* phGraph_out;
};

typedef cudaKernelNodeParams cudaKernelNodeParamsV2;
typedef cudaMemsetParams cudaMemsetParamsV2;
typedef cudaHostNodeParams cudaHostNodeParamsV2;
typedef cudaMemAllocNodeParams cudaMemAllocNodeParamsV2;
struct cudaGraphNodeParams {
  cudaGraphNodeType type;
  int reserved0[3];
  union {
    long long reserved1[29];
    cudaKernelNodeParamsV2 kernel;
    cudaMemcpyNodeParams memcpy;
    cudaMemsetParamsV2 memset;
    cudaHostNodeParamsV2 host;
    cudaChildGraphNodeParams graph;
    cudaEventWaitNodeParams eventWait;
    cudaEventRecordNodeParams eventRecord;
    cudaMemAllocNodeParamsV2 alloc;
    cudaMemFreeNodeParams free;
    cudaConditionalNodeParams conditional;
  };
  long long reserved2;
};
struct cudaGraphEdgeData {
  unsigned char from_port, to_port, type, reserved[5];
};

enum cudaGraphExecUpdateResult {
  cudaGraphExecUpdateSuccess = 0,
  cudaGraphExecUpdateError = 1,
  cudaGraphExecUpdateErrorTopologyChanged = 2,
  cudaGraphExecUpdateErrorNodeTypeChanged = 3,
  cudaGraphExecUpdateErrorFunctionChanged = 4,
  cudaGraphExecUpdateErrorParametersChanged = 5,
  cudaGraphExecUpdateErrorNotSupported = 6,
  cudaGraphExecUpdateErrorUnsupportedFunctionChange = 7,
  cudaGraphExecUpdateErrorAttributesChanged = 8,
};
struct cudaGraphExecUpdateResultInfo {
  cudaGraphExecUpdateResult result;
  cudaGraphNode_t errorNode, errorFromNode;
};

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags);
cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph);

// Each adds a node that runs after `after_count` nodes of the same graph, which `after` lists.
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, std::size_t after_count,
                                   const cudaKernelNodeParams* parameters);
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, std::size_t after_count,
                                   const cudaMemcpy3DParms* parameters);
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* after, std::size_t after_count,
                                     void* destination, const void* source, std::size_t bytes,
                                     cudaMemcpyKind kind);
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, std::size_t after_count,
                                   const cudaMemsetParams* parameters);
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* after, std::size_t after_count,
                                 const cudaHostNodeParams* parameters);
// The node gets a copy of the child graph.
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* after, std::size_t after_count,
                                       cudaGraph_t child);
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* after, std::size_t after_count);
cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* after, std::size_t after_count,
                                        cudaEvent_t event);
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                      const cudaGraphNode_t* after, std::size_t after_count,
                                      cudaEvent_t event);
// The memory has its address from now on, and exists from the node's run until a node or
// cudaFreeAsync() frees it. A launch fails while memory of an earlier launch is not freed, unless
// the graph was instantiated with cudaGraphInstantiateFlagAutoFreeOnLaunch.
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* after, std::size_t after_count,
                                     cudaMemAllocNodeParams* parameters);
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                    const cudaGraphNode_t* after, std::size_t after_count,
                                    void* pointer);
cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                             const cudaGraphEdgeData* edges, std::size_t after_count,
                             cudaGraphNodeParams* parameters);
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData* edges,
                                     std::size_t count);
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type);
// The forms of CUDA 12, without data of edges.
CUDA_SIMULATOR_CALLED inline cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                          const cudaGraphNode_t* after,
                                                          std::size_t after_count,
                                                          cudaGraphNodeParams* parameters) {
  return cudaGraphAddNode(node, graph, after, nullptr, after_count, parameters);
}
CUDA_SIMULATOR_CALLED inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph,
                                                                  const cudaGraphNode_t* from,
                                                                  const cudaGraphNode_t* to,
                                                                  std::size_t count) {
  return cudaGraphAddDependencies(graph, from, to, nullptr, count);
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const cudaKernelNodeParams* parameters);
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* parameters);
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* parameters);
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* parameters);
// Of an instance: `node` is the node of the graph that was instantiated.
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* parameters);
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* parameters);
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemsetParams* parameters);
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                           const cudaHostNodeParams* parameters);
// The graph must have the same nodes, of the same types and with the same dependencies.
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* info);
// The form of CUDA 11.
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphNode_t* error_node, cudaGraphExecUpdateResult* result);

// Adds the work of a stream to a graph, until cudaStreamEndCapture(). All nodes of a capture run
// one after the other, so the dependencies in these calls change nothing.
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* after,
                                          const cudaGraphEdgeData* edges, std::size_t after_count,
                                          cudaStreamCaptureMode mode);
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id = nullptr, cudaGraph_t* graph = nullptr,
                                     const cudaGraphNode_t** dependencies = nullptr,
                                     const cudaGraphEdgeData** edges = nullptr,
                                     std::size_t* dependency_count = nullptr);
constexpr unsigned cudaStreamAddCaptureDependencies = 0, cudaStreamSetCaptureDependencies = 1;
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* dependencies,
                                                const cudaGraphEdgeData* edges,
                                                std::size_t dependency_count, unsigned flags = 0);

// A value that kernels of the graph set, and conditional nodes test.
cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph,
                                             unsigned at_launch = 0, unsigned flags = 0);
void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value);  // in a kernel
