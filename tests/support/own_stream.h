#pragma once

#include "common/cuda_check.h"
#include "tests/support/facts.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <string>

// A stream that, unless the flags say otherwise, does not wait for the default stream, nor the
// default stream for it.
class OwnStream {
 public:
  explicit OwnStream(unsigned flags = cudaStreamNonBlocking) {
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, flags));
  }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  ~OwnStream() { cudaStreamDestroy(stream_); }

  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

// Fails the test unless function(stream) only queues work in that stream. The stream is captured:
// launches and copies are checked but do not run, so their sizes can be larger than a test has time
// for. CUDA refuses calls that wait, and work in the default stream.
template <typename Function>
void expect_only_queues(const Function& function) {
  const OwnStream stream(cudaStreamDefault);
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
    ADD_FAILURE() << "the function must only queue kernels and copies in the caller's stream, but "
                     "it waits, allocates memory, or uses the default stream. "
                  << error;
  } else if (!error.empty()) {
    ADD_FAILURE() << "It threw: " << error;
  }
}
