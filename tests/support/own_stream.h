#pragma once

#include "common/cuda_check.h"
#include "tests/support/facts.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <string>

// A stream that does not wait for the default stream, nor the default stream for it.
class OwnStream {
 public:
  OwnStream() { CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  ~OwnStream() { cudaStreamDestroy(stream_); }

  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

// Fails the test if function(stream) waits for the device. The stream is captured: the function's
// launches and copies are checked but do not run, so their sizes can be larger than a test has time
// for. CUDA refuses calls that wait.
template <typename Function>
void expect_only_queues(const Function& function) {
  const OwnStream stream;
  std::string error;
  cudaGraph_t graph = nullptr;
  CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  try {
    function(stream);
  } catch (const CudaError& thrown) {
    error = thrown.what();
  }
  const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
  cudaGetLastError();
  if (graph) CUDA_CHECK(cudaGraphDestroy(graph));
  if (ended != cudaSuccess || error.find("StreamCapture") != std::string::npos) {
    record_fact("given=waits");
    ADD_FAILURE() << "the function waits for the device, or allocates memory. It must only queue "
                     "kernels and copies in the stream. "
                  << error;
  } else if (!error.empty()) {
    ADD_FAILURE() << "It threw: " << error;
  }
}
