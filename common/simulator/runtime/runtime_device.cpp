// The runtime API's device, stream and event functions.

#include "runtime/device_memory.h"
#include "runtime/error_state.h"
#include "runtime/kernel_limits.h"
#include "runtime/stream_capture.h"

#include "simulator/runtime_api.h"

#include <algorithm>
#include <chrono>

using cuda_simulator::ErrorState;
using cuda_simulator::report;
using cuda_simulator::StreamCapture;

struct CudaSimulatorStream {
  int priority = 0;
};

struct CudaSimulatorEvent {
  std::chrono::steady_clock::time_point time;
  bool recorded = false, timed = true;
  cuda_simulator::CapturedPoint captured;
};

namespace {

// As on an H200: a lower number goes first.
constexpr int kLeastPriority = 0, kGreatestPriority = -5;
constexpr int kCudaVersion = 13000;  // whose names, limits and error codes these are

cudaError_t report_if(bool valid, cudaError_t otherwise) {
  return report(valid ? cudaSuccess : otherwise);
}

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return report(cudaSuccess);
}

cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return report(cudaSuccess);
}

cudaError_t cudaSetDevice(int device) { return report_if(device == 0, cudaErrorInvalidDevice); }

cudaError_t cudaDeviceSynchronize() { return report(StreamCapture::get().forbid_for_all()); }

cudaError_t cudaDeviceReset() {
  cuda_simulator::DeviceMemory::get().free_all();
  ErrorState::get().reset();
  return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(cudaLimit, std::size_t) { return report(cudaSuccess); }

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  switch (limit) {
    case cudaLimitStackSize:
      *value = 1024;
      break;
    case cudaLimitPrintfFifoSize:
      *value = 1 << 20;
      break;
    case cudaLimitMallocHeapSize:
      *value = 8 << 20;
      break;
  }
  return report(cudaSuccess);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (device != 0) return report(cudaErrorInvalidDevice);
  *properties = cuda_simulator::device_properties();
  return report(cudaSuccess);
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (device != 0) return report(cudaErrorInvalidDevice);
  const cudaDeviceProp& p = cuda_simulator::device_properties();
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      *value = p.maxThreadsPerBlock;
      break;
    case cudaDevAttrMaxBlockDimX:
      *value = p.maxThreadsDim[0];
      break;
    case cudaDevAttrMaxBlockDimY:
      *value = p.maxThreadsDim[1];
      break;
    case cudaDevAttrMaxBlockDimZ:
      *value = p.maxThreadsDim[2];
      break;
    case cudaDevAttrMaxGridDimX:
      *value = p.maxGridSize[0];
      break;
    case cudaDevAttrMaxGridDimY:
      *value = p.maxGridSize[1];
      break;
    case cudaDevAttrMaxGridDimZ:
      *value = p.maxGridSize[2];
      break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      *value = static_cast<int>(p.sharedMemPerBlock);
      break;
    case cudaDevAttrTotalConstantMemory:
      *value = static_cast<int>(p.totalConstMem);
      break;
    case cudaDevAttrWarpSize:
      *value = p.warpSize;
      break;
    case cudaDevAttrMaxRegistersPerBlock:
      *value = p.regsPerBlock;
      break;
    case cudaDevAttrMultiProcessorCount:
      *value = p.multiProcessorCount;
      break;
    case cudaDevAttrCanMapHostMemory:
      *value = p.canMapHostMemory;
      break;
    case cudaDevAttrConcurrentKernels:
      *value = p.concurrentKernels;
      break;
    case cudaDevAttrEccEnabled:
      *value = p.ECCEnabled;
      break;
    case cudaDevAttrL2CacheSize:
      *value = p.l2CacheSize;
      break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      *value = p.maxThreadsPerMultiProcessor;
      break;
    case cudaDevAttrAsyncEngineCount:
      *value = p.asyncEngineCount;
      break;
    case cudaDevAttrUnifiedAddressing:
      *value = p.unifiedAddressing;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = p.major;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      *value = p.minor;
      break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      *value = static_cast<int>(p.sharedMemPerMultiprocessor);
      break;
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      *value = p.regsPerMultiprocessor;
      break;
    case cudaDevAttrManagedMemory:
      *value = p.managedMemory;
      break;
    case cudaDevAttrCooperativeLaunch:
      *value = p.cooperativeLaunch;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = static_cast<int>(p.sharedMemPerBlockOptin);
      break;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      *value = p.maxBlocksPerMultiProcessor;
      break;
    case cudaDevAttrReservedSharedMemoryPerBlock:
      *value = static_cast<int>(p.reservedSharedMemPerBlock);
      break;
    default:
      return report(cudaErrorInvalidValue);
  }
  return report(cudaSuccess);
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = kCudaVersion;
  return report(cudaSuccess);
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = kCudaVersion;
  return report(cudaSuccess);
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, kLeastPriority);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int priority) {
  *stream = new CudaSimulatorStream{std::clamp(priority, kGreatestPriority, kLeastPriority)};
  return report(cudaSuccess);
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  const bool is_own = stream && stream != cudaStreamLegacy && stream != cudaStreamPerThread;
  *priority = is_own ? stream->priority : kLeastPriority;
  return report(cudaSuccess);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least) *least = kLeastPriority;
  if (greatest) *greatest = kGreatestPriority;
  return report(cudaSuccess);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (!stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread) {
    return report(cudaErrorInvalidResourceHandle);
  }
  delete stream;
  return report(cudaSuccess);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return report(StreamCapture::get().forbid(stream));
}
cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  if (!event) return report(cudaErrorInvalidResourceHandle);
  StreamCapture::get().wait(stream, event->captured);
  return report(cudaSuccess);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* user_data) {
  const auto call = [=] { function(user_data); };
  if (!StreamCapture::get().take(stream, call)) call();
  return report(cudaSuccess);
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  *event = new CudaSimulatorEvent;
  (*event)->timed = (flags & cudaEventDisableTiming) == 0;
  return report(cudaSuccess);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (!event) return report(cudaErrorInvalidResourceHandle);
  delete event;
  return report(cudaSuccess);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (!event) return report(cudaErrorInvalidResourceHandle);
  event->captured = StreamCapture::get().point(stream);
  if (event->captured.capture != 0) return report(cudaSuccess);
  event->time = std::chrono::steady_clock::now();
  event->recorded = true;
  return report(cudaSuccess);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return report_if(event != nullptr, cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t stop) {
  const auto has_time = [](cudaEvent_t event) { return event && event->recorded && event->timed; };
  if (!has_time(start) || !has_time(stop)) {
    return report(cudaErrorInvalidResourceHandle);
  }
  *ms = std::chrono::duration<float, std::milli>(stop->time - start->time).count();
  return report(cudaSuccess);
}
