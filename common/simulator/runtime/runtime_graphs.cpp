// The runtime API's graph functions.

#include "runtime/error_state.h"
#include "runtime/stream_capture.h"
#include "runtime/stream_order.h"
#include "runtime/streams.h"

#include "simulator/graphs.h"

#include <memory>

using cuda_simulator::report;
using cuda_simulator::StreamCapture;
using cuda_simulator::Streams;

struct CudaSimulatorGraph {
  cuda_simulator::GraphNodes nodes;
};
struct CudaSimulatorGraphExec {
  cuda_simulator::GraphNodes nodes;
};

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return report(StreamCapture::get().begin(stream, mode));
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  auto captured = std::make_unique<CudaSimulatorGraph>();
  const cudaError_t error = StreamCapture::get().end(stream, captured->nodes);
  *graph = error == cudaSuccess ? captured.release() : nullptr;
  return report(error);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  *status = StreamCapture::get().status(stream);
  return report(cudaSuccess);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  if (!graph || !count) return report(cudaErrorInvalidValue);
  if (nodes) return report(cudaErrorNotSupported);
  *count = graph->nodes.size();
  return report(cudaSuccess);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long) {
  if (!executable || !graph) return report(cudaErrorInvalidValue);
  *executable =
      std::make_unique<CudaSimulatorGraphExec>(CudaSimulatorGraphExec{graph->nodes}).release();
  return report(cudaSuccess);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, cudaGraphNode_t*,
                                 char*, std::size_t) {
  return cudaGraphInstantiate(executable, graph);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  if (!executable) return report(cudaErrorInvalidValue);
  if (!Streams::get().find(stream)) return report(cudaErrorInvalidResourceHandle);
  return cuda_simulator::captured_or_done(stream, [nodes = executable->nodes](cudaStream_t on) {
    const cuda_simulator::GraphStream all_on(on);
    for (const auto& node : nodes) node();
    return report(cudaSuccess);
  });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t) {
  return report(executable ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  if (!executable) return report(cudaErrorInvalidValue);
  delete executable;
  return report(cudaSuccess);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  if (!graph) return report(cudaErrorInvalidValue);
  delete graph;
  return report(cudaSuccess);
}
