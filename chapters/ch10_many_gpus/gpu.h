#pragma once

#include "common/cuda_check.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <utility>
#include <vector>

// One of the GPUs that work together. Kernels and events belong to the current device of the host's
// thread, so what queues them calls cudaSetDevice(device) first; any GPU may be the current one
// afterwards.
struct Gpu {
  int device;           // its number, as cudaSetDevice takes it
  cudaStream_t stream;  // one of its streams: what is queued there is done in order
  cudaStream_t copies;  // another one, for copies that go on beside that
};

// More than any computer holds; those of several computers are the business of mpi/01_ranks.cu.
constexpr int kMostGpus = 16;

// Where share g begins if `count` things are divided among `gpus` GPUs; it ends where share g + 1
// begins. No two shares differ by more than one.
constexpr std::size_t share_begin(std::size_t count, std::size_t gpus, std::size_t g) {
  return count * g / gpus;
}

// Owns an event of a GPU, without a time: a mark in a stream of this GPU, for which streams of
// others can wait. It may go once the waits are queued. The GPU is the current one afterwards.
class GpuEvent {
 public:
  explicit GpuEvent(const Gpu& gpu) {
    CUDA_CHECK(cudaSetDevice(gpu.device));
    CUDA_CHECK(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming));
  }
  ~GpuEvent() {
    if (event_) cudaEventDestroy(event_);  // unchecked: a destructor must not throw
  }
  GpuEvent(GpuEvent&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  GpuEvent& operator=(GpuEvent&&) = delete;
  GpuEvent(const GpuEvent&) = delete;
  GpuEvent& operator=(const GpuEvent&) = delete;

  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

// What is queued in any of the GPUs' streams from here on begins once everything is done that
// stands in all of them: a barrier for the streams, at which the host does not wait.
inline void wait_for_each_other(const std::vector<Gpu>& gpus) {
  std::vector<GpuEvent> here;
  for (const Gpu& gpu : gpus) {
    here.emplace_back(gpu);
    CUDA_CHECK(cudaEventRecord(here.back().get(), gpu.stream));
  }
  for (std::size_t g = 0; g < gpus.size(); ++g) {
    for (std::size_t peer = 0; peer < gpus.size(); ++peer) {
      if (peer != g) CUDA_CHECK(cudaStreamWaitEvent(gpus[g].stream, here[peer].get()));
    }
  }
}
