// The runtime API's device functions.

#include "runtime/device_memory.h"
#include "runtime/devices.h"
#include "runtime/error_state.h"
#include "runtime/kernel_limits.h"
#include "runtime/stream_capture.h"
#include "runtime/stream_order.h"

#include "simulator/runtime_api.h"

using cuda_simulator::current_device;
using cuda_simulator::ErrorState;
using cuda_simulator::is_device;
using cuda_simulator::kClockKhz;
using cuda_simulator::kMemoryClockKhz;
using cuda_simulator::PeerAccess;
using cuda_simulator::report;
using cuda_simulator::RuntimeCall;
using cuda_simulator::StreamCapture;
using cuda_simulator::StreamOrder;

namespace {

// Does not report, because that would return the error of a lost device.
void host_waits_for_device() {
  if (StreamOrder* const order = cuda_simulator::stream_order())
    order->host_waits_for_device(current_device());
}

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  *count = cuda_simulator::device_count();
  return report(cudaSuccess);
}

cudaError_t cudaGetDevice(int* device) {
  *device = current_device();
  return report(cudaSuccess);
}

cudaError_t cudaSetDevice(int device) {
  if (!is_device(device)) return report(cudaErrorInvalidDevice);
  cuda_simulator::set_current_device(device);
  return cudaSuccess;  // even if one of the two is lost
}

cudaError_t cudaDeviceSynchronize() {
  const RuntimeCall call;
  host_waits_for_device();
  return report(StreamCapture::get().forbid_for_all());
}

cudaError_t cudaDeviceReset() {
  const RuntimeCall call;
  host_waits_for_device();
  cuda_simulator::DeviceMemory::get().free_all(current_device());
  cuda_simulator::PeerAccess::get().disable_all(current_device());
  ErrorState::get().reset();
  return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return report(flags < 16 ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  if (limit == cudaLimitMallocHeapSize) cuda_simulator::DeviceMemory::get().set_heap_limit(value);
  return report(cudaSuccess);
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  switch (limit) {
    case cudaLimitStackSize:
      *value = 1024;
      break;
    case cudaLimitPrintfFifoSize:
      *value = 1 << 20;
      break;
    case cudaLimitMallocHeapSize:
      *value = cuda_simulator::DeviceMemory::get().heap_limit();
      break;
    case cudaLimitPersistingL2CacheSize:
      *value = 0;
      break;
  }
  return report(cudaSuccess);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (!is_device(device)) return report(cudaErrorInvalidDevice);
  *properties = cuda_simulator::device_properties();
  return report(cudaSuccess);
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (!is_device(device)) return report(cudaErrorInvalidDevice);
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
    case cudaDevAttrComputeMode:
      *value = cudaComputeModeDefault;
      break;
    case cudaDevAttrIntegrated:
    case cudaDevAttrKernelExecTimeout:
    case cudaDevAttrPciBusId:
    case cudaDevAttrPciDeviceId:
    case cudaDevAttrPageableMemoryAccess:  // a kernel cannot read memory of malloc()
    case cudaDevAttrHostNativeAtomicSupported:
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
    case cudaDevAttrMemoryPoolSupportedHandleTypes:
      *value = 0;
      break;
    case cudaDevAttrGpuOverlap:
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrHostRegisterSupported:
    case cudaDevAttrMemoryPoolsSupported:
      *value = 1;
      break;
    case cudaDevAttrMaxPersistingL2CacheSize:
      *value = p.persistingL2CacheMaxSize;
      break;
    case cudaDevAttrClockRate:
      *value = kClockKhz;
      break;
    case cudaDevAttrMemoryClockRate:
      *value = kMemoryClockKhz;
      break;
    case cudaDevAttrGlobalMemoryBusWidth:
      *value = p.memoryBusWidth;
      break;
    default:
      return report(cudaErrorInvalidValue);
  }
  return report(cudaSuccess);
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return report(cudaSuccess);
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return report(cudaSuccess);
}

cudaError_t cudaDeviceCanAccessPeer(int* can_access, int device, int peer) {
  if (!is_device(device) || !is_device(peer)) return report(cudaErrorInvalidDevice);
  *can_access = PeerAccess::get().is_possible(device, peer);
  return report(cudaSuccess);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  if (flags != 0) return report(cudaErrorInvalidValue);
  return report(PeerAccess::get().enable(peer));
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return report(PeerAccess::get().disable(peer));
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int device,
                                      int peer) {
  if (!value) return report(cudaErrorInvalidValue);
  if (!is_device(device) || !is_device(peer) || device == peer)
    return report(cudaErrorInvalidDevice);
  switch (attribute) {
    case cudaDevP2PAttrPerformanceRank:
      *value = 0;  // all links have equal performance
      return report(cudaSuccess);
    case cudaDevP2PAttrAccessSupported:
    case cudaDevP2PAttrNativeAtomicSupported:
    case cudaDevP2PAttrCudaArrayAccessSupported:
      *value = PeerAccess::get().is_possible(device, peer);
      return report(cudaSuccess);
  }
  return report(cudaErrorInvalidValue);
}
