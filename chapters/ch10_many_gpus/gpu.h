#pragma once

#include "common/cuda_check.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <utility>
#include <vector>

// A GPU that works together with other GPUs. Kernels and events belong to the current device of the
// host thread, so code that queues them calls cudaSetDevice(device) first. Any GPU can be the
// current device afterwards.
struct Gpu {
  int device;           // its number, the argument of cudaSetDevice
  cudaStream_t stream;  // its main stream: work that is queued there runs in order
  cudaStream_t copies;  // a second stream, for copies at the same time
};

// More GPUs than any computer has. For several computers see mpi/01_ranks.cu.
constexpr int kMostGpus = 16;

// The start of share g if `count` elements are divided among `gpus` GPUs. It ends at the start of
// share g + 1. The sizes of two shares differ by at most one.
constexpr std::size_t share_begin(std::size_t count, std::size_t gpus, std::size_t g) {
  return count * g / gpus;
}

// Owns an event of a GPU, without timing: a mark in a stream of this GPU, for which streams of
// other GPUs can wait. The event can be destroyed when the waits are queued. The GPU is the current
// device afterwards.
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

// A barrier for the streams of all GPUs, at which the host does not wait. Work queued after this
// call in any of the streams starts when all work queued before the call, in all streams, is done.
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
