#pragma once

#include "embedding.h"

#include "common/cuda_check.h"

#include <algorithm>

// The graphs of stage 06 and of later stages.

constexpr int kBatch = 10;  // iterations per graph

// Owns a graph of the work that `queue` queues on the stream that it gets.
class Graph {
 public:
  template <typename Queue>
  explicit Graph(const Queue& queue) {
    cudaStream_t stream = nullptr;
    cudaGraph_t graph = nullptr;
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    queue(stream);
    CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    CUDA_CHECK(cudaGraphInstantiate(&executable_, graph, nullptr, nullptr, 0));
    CUDA_CHECK(cudaGraphDestroy(graph));
    CUDA_CHECK(cudaStreamDestroy(stream));
  }
  ~Graph() { cudaGraphExecDestroy(executable_); }  // once it has run
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  void launch(cudaStream_t stream) const { CUDA_CHECK(cudaGraphLaunch(executable_, stream)); }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

// Queues iterations first to last - 1 with queue(iteration, stream): kBatch at a time as a graph
// while exaggeration and momentum do not change, and the rest one by one.
template <typename Queue>
void queue_in_graphs(int first, int last, const Schedule& schedule, const Queue& queue,
                     cudaStream_t stream) {
  for (int iteration = first; iteration < last;) {
    const bool is_early = iteration < schedule.early_iterations;
    const int end = is_early ? std::min(last, schedule.early_iterations) : last;
    // A kernel's first launch loads it, which is not possible while a stream is captured.
    if (iteration == first || end - iteration < kBatch) {
      queue(iteration++, stream);
      continue;
    }
    const Graph graph([&](cudaStream_t on) {
      for (int k = 0; k < kBatch; ++k) queue(iteration + k, on);
    });
    for (; iteration + kBatch <= end; iteration += kBatch) graph.launch(stream);
  }
}
