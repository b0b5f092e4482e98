#pragma once

#include "gpu.h"

#include "common/cuda_check.h"

#include <cstddef>
#include <vector>

// The ceiling of what moves data between GPUs: each GPU copies `bytes` bytes to the next one, all
// of them at the same time, `times` over. A single GPU copies within its own memory.
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
