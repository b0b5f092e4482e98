#pragma once

#include "gpu.h"

#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <cstddef>
#include <vector>

// The ceiling of programs that move data between GPUs: each GPU copies `bytes` bytes to the next
// GPU, all at the same time, `times` times. A single GPU copies within its own memory.
template <typename From, typename To>
void queue_peer_copies(const std::vector<Gpu>& gpus, const std::vector<From*>& d_from,
                       const std::vector<To*>& d_to, std::size_t bytes, int times) {
  if (bytes == 0) return;
  for (std::size_t g = 0; g < gpus.size(); ++g) {
    const std::size_t next = (g + 1) % gpus.size();
    for (int i = 0; i < times; ++i) {
      CUDA_CHECK(cudaMemcpyPeerAsync(d_to[next], gpus[next].device, d_from[g], gpus[g].device,
                                     bytes, gpus[g].stream));
    }
  }
}

// Copies once, and allocates the memory, for stages without arrays that are large enough.
class PeerCopies {
 public:
  PeerCopies(const std::vector<Gpu>& gpus, std::size_t bytes) : gpus_(gpus), bytes_(bytes) {
    for (const Gpu& gpu : gpus_) {
      CUDA_CHECK(cudaSetDevice(gpu.device));
      for (std::vector<DeviceBuffer<char>>* const buffers : {&from_, &to_}) {
        buffers->emplace_back(bytes);
        buffers->back().fill_bytes(0);
      }
      d_from_.push_back(from_.back().data());
      d_to_.push_back(to_.back().data());
    }
  }

  void queue() const { queue_peer_copies(gpus_, d_from_, d_to_, bytes_, /*times=*/1); }

 private:
  const std::vector<Gpu> gpus_;
  const std::size_t bytes_;
  std::vector<DeviceBuffer<char>> from_, to_;
  std::vector<const char*> d_from_;
  std::vector<char*> d_to_;
};
