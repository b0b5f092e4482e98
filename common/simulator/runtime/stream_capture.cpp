#include "runtime/stream_capture.h"

#include "runtime/devices.h"
#include "runtime/stream_order.h"
#include "runtime/streams.h"
#include "simulator/snapshot.h"

#include <algorithm>
#include <utility>

namespace cuda_simulator {

StreamCapture& StreamCapture::get() {
  static StreamCapture& capture =
      *new StreamCapture;  // never destroyed: a program's own objects may end after it
  return capture;
}

cudaError_t StreamCapture::begin(cudaStream_t stream, cudaStreamCaptureMode mode,
                                 cudaGraph_t graph) {
  // The default stream waits for all others, so it cannot be captured.
  const bool is_default = !stream || stream == cudaStreamLegacy;
  if (is_default) return cudaErrorStreamCaptureUnsupported;
  if (captures(stream)) return cudaErrorInvalidValue;
  const bool owns_graph = !graph;
  captures_[++last_] = {stream, mode, true, owns_graph ? new CudaSimulatorGraph : graph,
                        owns_graph};
  streams_[stream] = {last_};
  return cudaSuccess;
}

cudaError_t StreamCapture::end(cudaStream_t stream, cudaGraph_t* graph) {
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return cudaErrorInvalidValue;
  const std::uint64_t number = found->second.capture;
  Capture& capture = captures_.at(number);
  cudaError_t error = capture.is_valid ? cudaSuccess : cudaErrorStreamCaptureInvalidated;
  if (capture.origin != stream) error = cudaErrorStreamCaptureUnmatched;
  for (const auto& [other, captured] : streams_) {
    const bool is_left = captured.capture == number && other != capture.origin &&
                         captured.waited_for < captured.work;
    if (error == cudaSuccess && is_left) error = cudaErrorStreamCaptureUnjoined;
  }
  if (error == cudaErrorStreamCaptureUnmatched) {
    invalidate(number);
    return error;
  }
  if (error == cudaSuccess) {
    *graph = capture.graph;
  } else if (capture.owns_graph) {
    delete capture.graph;
  }
  for (auto it = streams_.begin(); it != streams_.end();) {
    it = it->second.capture == number ? streams_.erase(it) : std::next(it);
  }
  captures_.erase(number);
  return error;
}

cudaStreamCaptureStatus StreamCapture::status(cudaStream_t stream) const {
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return cudaStreamCaptureStatusNone;
  return captures_.at(found->second.capture).is_valid ? cudaStreamCaptureStatusActive
                                                      : cudaStreamCaptureStatusInvalidated;
}

cudaGraph_t StreamCapture::graph_of(cudaStream_t stream) const {
  const auto found = streams_.find(stream);
  return found == streams_.end() ? nullptr : captures_.at(found->second.capture).graph;
}

bool StreamCapture::take(cudaStream_t stream, std::function<void()> work, cudaGraphNodeType type) {
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return false;
  // The nodes of all streams of a capture run one after the other.
  auto& nodes = captures_.at(found->second.capture).graph->nodes;
  CudaSimulatorGraphNode node(type, std::move(work));
  if (!nodes.empty()) node.after = {nodes.back().get()};
  nodes.push_back(std::make_shared<CudaSimulatorGraphNode>(std::move(node)));
  ++found->second.work;
  return true;
}

CapturedPoint StreamCapture::point(cudaStream_t stream) {
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return {};
  return {found->second.capture, stream, found->second.work};
}

void StreamCapture::wait(cudaStream_t stream, const CapturedPoint& point) {
  if (captures_.count(point.capture) == 0) return;
  const auto from = streams_.find(point.stream);
  if (from != streams_.end() && from->first != stream) {
    from->second.waited_for = std::max(from->second.waited_for, point.work);
  }
  const auto found = streams_.find(stream);
  if (found == streams_.end()) {
    // the wait is itself work, for which another stream must wait
    streams_[stream] = {point.capture, 1};
  } else {
    ++found->second.work;
  }
}

cudaError_t StreamCapture::forbid(cudaStream_t stream) {
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return cudaSuccess;
  invalidate(found->second.capture);
  return cudaErrorStreamCaptureUnsupported;
}

cudaError_t StreamCapture::forbid_for_all() {
  cudaError_t error = cudaSuccess;
  for (auto& [number, capture] : captures_) {
    if (capture.mode == cudaStreamCaptureModeRelaxed) continue;
    capture.is_valid = false;
    error = cudaErrorStreamCaptureUnsupported;
  }
  return error;
}

cudaError_t StreamCapture::forbid_default_stream(cudaStream_t stream_of_work) {
  // The work of a graph names no stream.
  if (!is_default_stream(stream_of_work) || GraphStream::is_running()) return cudaSuccess;
  cudaError_t error = cudaSuccess;
  for (const auto& [stream, captured] : streams_) {
    const auto known = Streams::get().find(stream);
    if (!known || !known->is_blocking || known->device != current_device()) continue;
    invalidate(captured.capture);
    error = cudaErrorStreamCaptureImplicit;
  }
  return error;
}

bool is_any_stream_captured() { return StreamCapture::get().captures_any(); }

}  // namespace cuda_simulator
