#pragma once

#include "gpu.h"

#include "common/cuda_check.h"

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>
#include <vector>

// Returns whether kernels of `gpu` can read and write the memory of `peer`.
inline bool can_reach(const Gpu& gpu, const Gpu& peer) {
  int can = 0;
  CUDA_CHECK(cudaDeviceCanAccessPeer(&can, gpu.device, peer.device));
  return can != 0;
}

// Describes the first pair of GPUs without access to each other's memory; empty if all have access.
inline std::string pair_without_access(const std::vector<Gpu>& gpus) {
  for (const Gpu& gpu : gpus) {
    for (const Gpu& peer : gpus) {
      if (gpu.device == peer.device || can_reach(gpu, peer)) continue;
      return "GPU " + std::to_string(gpu.device) + " cannot reach the memory of GPU " +
             std::to_string(peer.device);
    }
  }
  return "";
}

// Lets kernels on each GPU read and write the memory of all other GPUs, and lets copies use the
// links. Describes the first pair without peer access; empty if all pairs have it. Copies between
// GPUs without peer access still work: CUDA stages them through host memory.
inline std::string enable_peer_access(const std::vector<Gpu>& gpus) {
  for (const Gpu& gpu : gpus) {
    for (const Gpu& peer : gpus) {
      if (gpu.device == peer.device || !can_reach(gpu, peer)) continue;
      CUDA_CHECK(cudaSetDevice(gpu.device));
      const cudaError_t status = cudaDeviceEnablePeerAccess(peer.device, 0);
      if (status == cudaErrorPeerAccessAlreadyEnabled) {
        cudaGetLastError();  // clears the error, which is harmless
      } else {
        CUDA_CHECK(status);
      }
    }
  }
  return pair_without_access(gpus);
}

// Throws std::runtime_error unless kernels of each GPU can access the memory of all other GPUs.
inline void require_peer_access(const std::vector<Gpu>& gpus, const char* instead) {
  const std::string without = pair_without_access(gpus);
  if (without.empty()) return;
  throw std::runtime_error(without + ", which the kernel of this stage needs. Use " + instead +
                           ": it can copy through host memory.");
}
