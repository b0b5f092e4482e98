#pragma once

#include "simulator/runtime_api.h"

#include <cstddef>

// The location of memory, and advice about it. The host and the simulated device share the
// computer's memory: prefetches and advice are checked, but move nothing.

enum cudaMemLocationType {
  cudaMemLocationTypeInvalid = 0,
  cudaMemLocationTypeDevice = 1,
  cudaMemLocationTypeHost = 2,
};
struct cudaMemLocation {
  cudaMemLocationType type;
  int id;
};
enum cudaMemoryAdvise {
  cudaMemAdviseSetReadMostly = 1,
  cudaMemAdviseUnsetReadMostly = 2,
  cudaMemAdviseSetPreferredLocation = 3,
  cudaMemAdviseUnsetPreferredLocation = 4,
  cudaMemAdviseSetAccessedBy = 5,
  cudaMemAdviseUnsetAccessedBy = 6,
};
enum cudaMemoryType {
  cudaMemoryTypeUnregistered = 0,
  cudaMemoryTypeHost = 1,
  cudaMemoryTypeDevice = 2,
  cudaMemoryTypeManaged = 3,
};
struct cudaPointerAttributes {
  cudaMemoryType type;
  int device;
  void* devicePointer;
  void* hostPointer;
};
constexpr int cudaCpuDeviceId = -1, cudaInvalidDeviceId = -2;

cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, cudaMemLocation location,
                                 unsigned flags, cudaStream_t stream = nullptr);
cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice,
                          cudaMemLocation location);
// The forms of CUDA 12: `device` is a number or cudaCpuDeviceId.
cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, int device,
                                 cudaStream_t stream = nullptr);
cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice,
                          int device);
// The stream or the host that may access a whole allocation. Bytes 0: all of it.
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer, std::size_t bytes = 0,
                                     unsigned flags = cudaMemAttachSingle);
template <typename T>
CUDA_SIMULATOR_CALLED cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T* pointer,
                                                           std::size_t bytes = 0,
                                                           unsigned flags = cudaMemAttachSingle) {
  return cudaStreamAttachMemAsync(stream, static_cast<void*>(pointer), bytes, flags);
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer);
