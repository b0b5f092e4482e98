#pragma once

#include "simulator/device_properties.h"
#include "simulator/error_codes.h"
#include "simulator/keywords.h"
#include "simulator/vector_types.h"

#include <cstddef>

// The CUDA runtime API. Each call runs before it returns, in any stream and on any device, so work
// never overlaps: a legal behaviour for any program. The traced build reports work that a GPU might
// run in a different order.

#define CUDART_VERSION 13000  // the version of these names, limits and error codes

enum cudaMemcpyKind {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4,
};
typedef struct CudaSimulatorStream* cudaStream_t;
typedef struct CudaSimulatorEvent* cudaEvent_t;
#define CUDART_CB
typedef void (*cudaHostFn_t)(void* user_data);
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void* user_data);

constexpr unsigned cudaStreamDefault = 0, cudaStreamNonBlocking = 1;
constexpr unsigned cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2;
constexpr unsigned cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2,
                   cudaHostAllocWriteCombined = 4;
constexpr unsigned cudaHostRegisterDefault = 0, cudaHostRegisterPortable = 1,
                   cudaHostRegisterMapped = 2, cudaHostRegisterIoMemory = 4,
                   cudaHostRegisterReadOnly = 8;
constexpr unsigned cudaDeviceScheduleAuto = 0, cudaDeviceScheduleSpin = 1,
                   cudaDeviceScheduleYield = 2, cudaDeviceScheduleBlockingSync = 4,
                   cudaDeviceBlockingSync = 4, cudaDeviceMapHost = 8;
constexpr unsigned cudaMemAttachGlobal = 1, cudaMemAttachHost = 2, cudaMemAttachSingle = 4;
#define cudaStreamLegacy (reinterpret_cast<cudaStream_t>(1))
#define cudaStreamPerThread (reinterpret_cast<cudaStream_t>(2))

// Errors
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();

// Device
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaDeviceSynchronize();
[[deprecated("CUDA 13 does not have it: use cudaDeviceSynchronize")]] inline cudaError_t
cudaThreadSynchronize() {
  return cudaDeviceSynchronize();
}
cudaError_t cudaDeviceReset();  // also clears an error that a real device would keep
cudaError_t cudaSetDeviceFlags(unsigned flags);  // checked, without effect
cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value);
cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
// Peers: a kernel on the current device can use `peer`'s memory after this is enabled.
cudaError_t cudaDeviceCanAccessPeer(int* can_access, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int device,
                                      int peer);
cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaRuntimeGetVersion(int* version);
cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes);

// Memory
cudaError_t cudaMalloc(void** pointer, std::size_t bytes);
cudaError_t cudaFree(void* pointer);
cudaError_t cudaMallocHost(void** pointer, std::size_t bytes, unsigned flags = 0);
cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags);
cudaError_t cudaFreeHost(void* pointer);
// Kernels use registered memory through cudaHostGetDevicePointer(): its address differs from the
// host's, as on a device without cudaDevAttrCanUseHostPointerForRegisteredMem.
cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void* pointer);
cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned flags);
cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes,
                              unsigned flags = cudaMemAttachGlobal);
cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream);
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream);
cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch_bytes, std::size_t width_bytes,
                            std::size_t height);
cudaError_t cudaMemcpy(void* destination, const void* source, std::size_t bytes,
                       cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void* destination, const void* source, std::size_t bytes,
                            cudaMemcpyKind kind, cudaStream_t stream = nullptr);
cudaError_t cudaMemcpyPeer(void* destination, int destination_device, const void* source,
                           int source_device, std::size_t bytes);
cudaError_t cudaMemcpyPeerAsync(void* destination, int destination_device, const void* source,
                                int source_device, std::size_t bytes,
                                cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy2D(void* destination, std::size_t destination_pitch, const void* source,
                         std::size_t source_pitch, std::size_t width_bytes, std::size_t height,
                         cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void* destination, std::size_t destination_pitch, const void* source,
                              std::size_t source_pitch, std::size_t width_bytes, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream = nullptr);
cudaError_t cudaMemset(void* pointer, int value, std::size_t bytes);
cudaError_t cudaMemsetAsync(void* pointer, int value, std::size_t bytes,
                            cudaStream_t stream = nullptr);
cudaError_t cudaMemset2D(void* pointer, std::size_t pitch, int value, std::size_t width_bytes,
                         std::size_t height);

// Streams and events
cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
// A priority is recorded but has no effect, because no work ever waits for other work.
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority);
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority);
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device);
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void* user_data, unsigned flags);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* user_data);
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
// The CPU's time, so that programs can continue; it does not predict a GPU's time.
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t stop);

// Further forms, as in CUDA's C++ header
CUDA_SIMULATOR_CALLED inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags) {
  return cudaEventCreateWithFlags(event, flags);
}
template <typename T>
CUDA_SIMULATOR_CALLED cudaError_t cudaMalloc(T** pointer, std::size_t bytes) {
  return cudaMalloc(static_cast<void**>(static_cast<void*>(pointer)), bytes);
}
template <typename T>
CUDA_SIMULATOR_CALLED cudaError_t cudaMallocHost(T** pointer, std::size_t bytes,
                                                 unsigned flags = 0) {
  return cudaMallocHost(static_cast<void**>(static_cast<void*>(pointer)), bytes, flags);
}
template <typename T>
CUDA_SIMULATOR_CALLED cudaError_t cudaHostAlloc(T** pointer, std::size_t bytes, unsigned flags) {
  return cudaHostAlloc(static_cast<void**>(static_cast<void*>(pointer)), bytes, flags);
}
template <typename T>
CUDA_SIMULATOR_CALLED cudaError_t cudaHostGetDevicePointer(T** device_pointer, void* host_pointer,
                                                           unsigned flags) {
  return cudaHostGetDevicePointer(static_cast<void**>(static_cast<void*>(device_pointer)),
                                  host_pointer, flags);
}
template <typename T>
CUDA_SIMULATOR_CALLED cudaError_t cudaMallocManaged(T** pointer, std::size_t bytes,
                                                    unsigned flags = cudaMemAttachGlobal) {
  return cudaMallocManaged(static_cast<void**>(static_cast<void*>(pointer)), bytes, flags);
}
template <typename T>
CUDA_SIMULATOR_CALLED cudaError_t cudaMallocAsync(T** pointer, std::size_t bytes,
                                                  cudaStream_t stream) {
  return cudaMallocAsync(static_cast<void**>(static_cast<void*>(pointer)), bytes, stream);
}
template <typename T>
CUDA_SIMULATOR_CALLED cudaError_t cudaMallocPitch(T** pointer, std::size_t* pitch_bytes,
                                                  std::size_t width_bytes, std::size_t height) {
  return cudaMallocPitch(static_cast<void**>(static_cast<void*>(pointer)), pitch_bytes, width_bytes,
                         height);
}

// __device__ and __constant__ variables: the symbol is the variable itself
namespace cuda_simulator {
cudaError_t symbol_address(void** pointer, const void* symbol, std::size_t bytes);
cudaError_t copy_to_symbol(void* symbol, std::size_t symbol_bytes, const void* source,
                           std::size_t bytes, std::size_t offset, cudaMemcpyKind kind);
cudaError_t copy_to_symbol_async(void* symbol, std::size_t symbol_bytes, const void* source,
                                 std::size_t bytes, std::size_t offset, cudaStream_t stream);
cudaError_t copy_from_symbol(void* destination, const void* symbol, std::size_t symbol_bytes,
                             std::size_t bytes, std::size_t offset, cudaMemcpyKind kind);
cudaError_t copy_from_symbol_async(void* destination, const void* symbol, std::size_t symbol_bytes,
                                   std::size_t bytes, std::size_t offset, cudaStream_t stream);
cudaError_t set_kernel_attribute(const void* kernel, cudaFuncAttribute attribute, int value);
cudaError_t get_kernel_attributes(cudaFuncAttributes* attributes, const void* kernel);
cudaError_t blocks_per_multiprocessor(int* blocks, const void* kernel, int block_threads,
                                      std::size_t dynamic_shared_bytes);
}  // namespace cuda_simulator

template <typename T>
CUDA_SIMULATOR_CALLED cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* source,
                                                     std::size_t bytes, std::size_t offset = 0,
                                                     cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return cuda_simulator::copy_to_symbol(
      const_cast<void*>(static_cast<const volatile void*>(&symbol)), sizeof(T), source, bytes,
      offset, kind);
}
template <typename T>
CUDA_SIMULATOR_CALLED cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* source,
                                                          std::size_t bytes, std::size_t offset,
                                                          cudaMemcpyKind,
                                                          cudaStream_t stream = nullptr) {
  return cuda_simulator::copy_to_symbol_async(
      const_cast<void*>(static_cast<const volatile void*>(&symbol)), sizeof(T), source, bytes,
      offset, stream);
}
template <typename T>
CUDA_SIMULATOR_CALLED cudaError_t
cudaMemcpyFromSymbol(void* destination, const T& symbol, std::size_t bytes, std::size_t offset = 0,
                     cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return cuda_simulator::copy_from_symbol(destination, &symbol, sizeof(T), bytes, offset, kind);
}
template <typename T>
CUDA_SIMULATOR_CALLED cudaError_t cudaMemcpyFromSymbolAsync(void* destination, const T& symbol,
                                                            std::size_t bytes, std::size_t offset,
                                                            cudaMemcpyKind,
                                                            cudaStream_t stream = nullptr) {
  return cuda_simulator::copy_from_symbol_async(destination, &symbol, sizeof(T), bytes, offset,
                                                stream);
}
template <typename T>
CUDA_SIMULATOR_CALLED cudaError_t cudaGetSymbolAddress(void** pointer, const T& symbol) {
  return cuda_simulator::symbol_address(
      pointer, const_cast<const void*>(static_cast<const volatile void*>(&symbol)), sizeof(T));
}
template <typename T>
CUDA_SIMULATOR_CALLED cudaError_t cudaGetSymbolSize(std::size_t* bytes, const T&) {
  *bytes = sizeof(T);
  return cudaSuccess;
}

// Kernels as values
template <typename Kernel>
CUDA_SIMULATOR_CALLED cudaError_t cudaFuncSetAttribute(Kernel* kernel, cudaFuncAttribute attribute,
                                                       int value) {
  return cuda_simulator::set_kernel_attribute(reinterpret_cast<const void*>(kernel), attribute,
                                              value);
}
// Preferences, which change no result.
inline cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
inline cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  *config = cudaFuncCachePreferNone;
  return cudaSuccess;
}
template <typename Kernel>
CUDA_SIMULATOR_CALLED cudaError_t cudaFuncSetCacheConfig(Kernel*, cudaFuncCache) {
  return cudaSuccess;
}
template <typename Kernel>
CUDA_SIMULATOR_CALLED cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes,
                                                        Kernel* kernel) {
  return cuda_simulator::get_kernel_attributes(attributes, reinterpret_cast<const void*>(kernel));
}
template <typename Kernel>
CUDA_SIMULATOR_CALLED cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int* blocks, Kernel* kernel, int block_threads, std::size_t dynamic_shared_bytes) {
  return cuda_simulator::blocks_per_multiprocessor(blocks, reinterpret_cast<const void*>(kernel),
                                                   block_threads, dynamic_shared_bytes);
}
