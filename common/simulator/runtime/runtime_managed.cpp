// The runtime API's functions for managed memory: its location, and advice about it.

#include "runtime/device_memory.h"
#include "runtime/devices.h"
#include "runtime/error_state.h"
#include "runtime/registered_memory.h"
#include "runtime/streams.h"

#include "simulator/managed_memory.h"

using cuda_simulator::DeviceMemory;
using cuda_simulator::MemoryKind;
using cuda_simulator::report;

namespace {

bool is_managed(const void* pointer, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const DeviceMemory& memory = DeviceMemory::get();
  if (!memory.contains(address)) return false;
  const cuda_simulator::Allocation& allocation = memory.on_page_of(address);
  return !allocation.freed && allocation.kind == MemoryKind::managed &&
         allocation.holds(address, bytes);
}

cudaError_t check_advice(const void* pointer, std::size_t bytes, const cudaMemLocation& location) {
  const bool is_device = location.type == cudaMemLocationTypeDevice;
  if (!is_device && location.type != cudaMemLocationTypeHost) return report(cudaErrorInvalidValue);
  if (is_device && !cuda_simulator::is_device(location.id)) return report(cudaErrorInvalidDevice);
  return report(is_managed(pointer, bytes) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaMemLocation location_of(int device) {
  return device == cudaCpuDeviceId ? cudaMemLocation{cudaMemLocationTypeHost, 0}
                                   : cudaMemLocation{cudaMemLocationTypeDevice, device};
}

}  // namespace

cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, cudaMemLocation location,
                                 unsigned, cudaStream_t) {
  return check_advice(pointer, bytes, location);
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, int device, cudaStream_t) {
  return check_advice(pointer, bytes, location_of(device));
}

cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise,
                          cudaMemLocation location) {
  return check_advice(pointer, bytes, location);
}

cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise, int device) {
  return check_advice(pointer, bytes, location_of(device));
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer, std::size_t bytes,
                                     unsigned flags) {
  if (!cuda_simulator::Streams::get().find(stream)) return report(cudaErrorInvalidResourceHandle);
  const bool is_one_flag =
      flags == cudaMemAttachGlobal || flags == cudaMemAttachHost || flags == cudaMemAttachSingle;
  const bool is_own_stream = !cuda_simulator::is_default_stream(stream);
  if (!is_one_flag || (flags == cudaMemAttachSingle && !is_own_stream) || !is_managed(pointer, 1))
    return report(cudaErrorInvalidValue);
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const cuda_simulator::Allocation& allocation = DeviceMemory::get().on_page_of(address);
  const bool is_whole = address == allocation.begin && (bytes == 0 || bytes == allocation.bytes);
  return report(is_whole ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  if (!attributes || !pointer) return report(cudaErrorInvalidValue);
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  void* const plain = const_cast<void*>(pointer);
  const DeviceMemory& memory = DeviceMemory::get();
  const bool is_known = memory.contains(address) && !memory.on_page_of(address).freed &&
                        memory.on_page_of(address).holds(address, 1);
  if (void* const registered = cuda_simulator::device_pointer_of_registered(pointer)) {
    *attributes = {cudaMemoryTypeHost, cuda_simulator::current_device(), registered, plain};
    return report(cudaSuccess);
  }
  if (!is_known) {
    *attributes = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, plain};
    return report(cudaSuccess);
  }
  const cuda_simulator::Allocation& allocation = memory.on_page_of(address);
  switch (allocation.kind) {
    case MemoryKind::device:
      *attributes = {cudaMemoryTypeDevice, allocation.device, plain, nullptr};
      break;
    case MemoryKind::pinned_host:
      *attributes = {cudaMemoryTypeHost, allocation.device, plain, plain};
      break;
    case MemoryKind::managed:
      *attributes = {cudaMemoryTypeManaged, allocation.device, plain, plain};
      break;
  }
  return report(cudaSuccess);
}
