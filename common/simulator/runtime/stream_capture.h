#pragma once

#include "runtime/error_state.h"
#include "runtime/graph.h"

#include "simulator/error_codes.h"
#include "simulator/graphs.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace cuda_simulator {

// The state of an event that was recorded in a captured stream: the capture, and the number of
// works in the stream. Captures are numbered from 1.
struct CapturedPoint {
  std::uint64_t capture = 0;
  cudaStream_t stream = nullptr;
  std::size_t work = 0;
};

// The streams that are being captured. Another stream joins a capture when it waits for an event of
// it, and a stream of the capture must wait for it before the capture ends. Used by the host thread
// that calls the runtime.
class StreamCapture {
 public:
  static StreamCapture& get();

  bool captures(cudaStream_t stream) const { return streams_.count(stream) != 0; }
  bool captures_any() const { return !streams_.empty(); }

  // Adds the nodes to `graph`, or to a new graph without one.
  cudaError_t begin(cudaStream_t stream, cudaStreamCaptureMode mode, cudaGraph_t graph = nullptr);
  // Returns the graph or an error; in both cases the capture has ended.
  cudaError_t end(cudaStream_t stream, cudaGraph_t* graph);
  // The graph of the stream's capture; nullptr if it is not being captured.
  cudaGraph_t graph_of(cudaStream_t stream) const;
  cudaStreamCaptureStatus status(cudaStream_t stream) const;

  // Stores the work if the stream is being captured; returns false if the work must run now.
  bool take(cudaStream_t stream, std::function<void()> work, cudaGraphNodeType type);
  CapturedPoint point(cudaStream_t stream);
  void wait(cudaStream_t stream, const CapturedPoint& point);
  // Invalidates a capture that does not permit the call. Returns cudaErrorStreamCaptureUnsupported
  // if any capture forbids the call, as for all calls that may wait for work that has not begun.
  cudaError_t forbid(cudaStream_t stream);
  cudaError_t forbid_for_all();
  // The same for work in the current device's default stream, if `stream` is that one. It waits for
  // the blocking streams: cudaErrorStreamCaptureImplicit if one of them is being captured.
  cudaError_t forbid_default_stream(cudaStream_t stream = nullptr);

 private:
  struct Capture {
    cudaStream_t origin;
    cudaStreamCaptureMode mode;
    bool is_valid = true;
    cudaGraph_t graph;
    bool owns_graph = true;  // it is destroyed if the capture fails
  };
  struct Captured {
    std::uint64_t capture;
    std::size_t work = 0, waited_for = 0;  // waited_for: works that another stream waits for
  };

  void invalidate(std::uint64_t capture) { captures_.at(capture).is_valid = false; }

  std::map<std::uint64_t, Capture> captures_;
  std::map<cudaStream_t, Captured> streams_;
  std::uint64_t last_ = 0;
};

// Executes work of a stream now. If the stream is being captured, the work runs when the graph is
// launched, in the stream of that launch.
template <typename Work>
cudaError_t captured_or_done(cudaStream_t stream, Work work,
                             cudaGraphNodeType type = cudaGraphNodeTypeMemcpy) {
  StreamCapture& capture = StreamCapture::get();
  if (const cudaError_t error = capture.forbid_default_stream(stream)) return report(error);
  return capture.take(
             stream, [=] { work(nullptr); }, type)
             ? report(cudaSuccess)
             : work(stream);
}

}  // namespace cuda_simulator
