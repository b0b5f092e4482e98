#pragma once

#include "gpu.h"

#include "common/cuda_check.h"

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>
#include <vector>

// Whether kernels of the GPU can read and write the memory of the other one.
inline bool can_reach(const Gpu& gpu, const Gpu& peer) {
  int can = 0;
  CUDA_CHECK(cudaDeviceCanAccessPeer(&can, gpu.device, peer.device));
  return can != 0;
}

// The first pair of which one cannot reach the other's memory, in words; empty if all can.
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

// Lets kernels on each of the GPUs read and write the memory of all others, and copies between them
// go straight. Returns the first pair that cannot, in words; empty if all can. Copies between such
// a pair still work: CUDA stages them through the host's memory.
inline std::string enable_peer_access(const std::vector<Gpu>& gpus) {
  for (const Gpu& gpu : gpus) {
    for (const Gpu& peer : gpus) {
      if (gpu.device == peer.device || !can_reach(gpu, peer)) continue;
      CUDA_CHECK(cudaSetDevice(gpu.device));
      const cudaError_t status = cudaDeviceEnablePeerAccess(peer.device, 0);
      if (status == cudaErrorPeerAccessAlreadyEnabled) {
        cudaGetLastError();  // no error for us: forget it
      } else {
        CUDA_CHECK(status);
      }
    }
  }
  return pair_without_access(gpus);
}

// Throws std::runtime_error, in words, unless kernels of each GPU can reach the memory of all.
inline void require_peer_access(const std::vector<Gpu>& gpus, const char* instead) {
  const std::string without = pair_without_access(gpus);
  if (without.empty()) return;
  throw std::runtime_error(without + ", and the kernel of this stage does. Take " + instead +
                           ": its copies go through the host's memory where they must.");
}
