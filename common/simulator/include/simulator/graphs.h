#pragma once

#include "simulator/runtime_api.h"

#include <cstddef>

// Graphs: the work of a stream between cudaStreamBeginCapture and cudaStreamEndCapture, which can
// be launched as a whole any number of times. It runs in the order of the capture. Captured are
// launches by name, copies, fills, host functions, and memory that is allocated and freed in a
// stream. graph_nodes.h has the graphs that are built node by node.

typedef struct CudaSimulatorGraph* cudaGraph_t;
typedef struct CudaSimulatorGraphExec* cudaGraphExec_t;
typedef struct CudaSimulatorGraphNode* cudaGraphNode_t;

enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal = 0,
  cudaStreamCaptureModeThreadLocal = 1,
  cudaStreamCaptureModeRelaxed = 2,
};
constexpr unsigned cudaGraphInstantiateFlagAutoFreeOnLaunch = 1, cudaGraphInstantiateFlagUpload = 2,
                   cudaGraphInstantiateFlagUseNodePriority = 8;
enum cudaStreamCaptureStatus {
  cudaStreamCaptureStatusNone = 0,
  cudaStreamCaptureStatusActive = 1,
  cudaStreamCaptureStatusInvalidated = 2,
};

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status);

// Without `nodes`, returns the number of nodes; otherwise at most *count of them.
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long flags = 0);
// The form of CUDA 11.
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 cudaGraphNode_t* error_node, char* log, std::size_t log_bytes);
CUDA_SIMULATOR_CALLED inline cudaError_t cudaGraphInstantiateWithFlags(
    cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags = 0) {
  return cudaGraphInstantiate(executable, graph, flags);
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream);
cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
