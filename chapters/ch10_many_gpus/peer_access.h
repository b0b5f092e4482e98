#pragma once

#include "gpu.h"

#include "common/cuda_check.h"

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>
#include <vector>

// Lets kernels on each of the GPUs read and write the memory of all others, and copies between them
// go straight. Returns the first pair that cannot, in words; empty if all can. Copies between such
// a pair still work: CUDA stages them through the host's memory.
inline std::string enable_peer_access(const std::vector<Gpu>& gpus) {
  std::string without;
  for (const Gpu& gpu : gpus) {
    for (const Gpu& peer : gpus) {
      if (gpu.device == peer.device) continue;
      int can = 0;
      CUDA_CHECK(cudaDeviceCanAccessPeer(&can, gpu.device, peer.device));
      if (!can) {
        if (without.empty()) {
          without = "GPU " + std::to_string(gpu.device) + " cannot reach the memory of GPU " +
                    std::to_string(peer.device);
        }
        continue;
      }
      CUDA_CHECK(cudaSetDevice(gpu.device));
      const cudaError_t status = cudaDeviceEnablePeerAccess(peer.device, 0);
      if (status == cudaErrorPeerAccessAlreadyEnabled) {
        cudaGetLastError();  // no error for us: forget it
      } else {
        CUDA_CHECK(status);
      }
    }
  }
  return without;
}

// Throws std::runtime_error, in words, unless kernels of each GPU can reach the memory of all.
inline void require_peer_access(const std::vector<Gpu>& gpus, const char* instead) {
  for (const Gpu& gpu : gpus) {
    for (const Gpu& peer : gpus) {
      if (gpu.device == peer.device) continue;
      int can = 0;
      CUDA_CHECK(cudaDeviceCanAccessPeer(&can, gpu.device, peer.device));
      if (can) continue;
      throw std::runtime_error("GPU " + std::to_string(gpu.device) +
                               " cannot reach the memory of GPU " + std::to_string(peer.device) +
                               ", and the kernel of this stage does. Take " + instead +
                               ": its copies go through the host's memory where they must.");
    }
  }
}
