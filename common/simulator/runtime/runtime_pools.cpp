// The runtime API's functions for memory pools, and memory that is allocated in stream order.

#include "runtime/devices.h"
#include "runtime/error_state.h"
#include "runtime/memory_pools.h"
#include "runtime/stream_capture.h"
#include "runtime/streams.h"

#include "simulator/memory_pools.h"

using cuda_simulator::is_device;
using cuda_simulator::MemoryPools;
using cuda_simulator::report;
using cuda_simulator::StreamCapture;

namespace {

using Bytes = unsigned long long;

// The number that an attribute means; nullptr for the attributes of reuse.
Bytes* bytes_of(CudaSimulatorMemPool& pool, cudaMemPoolAttr attribute) {
  switch (attribute) {
    case cudaMemPoolAttrReleaseThreshold:
      return &pool.threshold;
    case cudaMemPoolAttrReservedMemCurrent:
      return &pool.reserved;
    case cudaMemPoolAttrReservedMemHigh:
      return &pool.reserved_high;
    case cudaMemPoolAttrUsedMemCurrent:
      return &pool.used;
    case cudaMemPoolAttrUsedMemHigh:
      return &pool.used_high;
    default:
      return nullptr;
  }
}

int* reuse_of(CudaSimulatorMemPool& pool, cudaMemPoolAttr attribute) {
  const bool is_reuse = attribute >= cudaMemPoolReuseFollowEventDependencies &&
                        attribute <= cudaMemPoolReuseAllowInternalDependencies;
  return is_reuse ? &pool.reuse[attribute - cudaMemPoolReuseFollowEventDependencies] : nullptr;
}

// Sets a high-water mark back, which counts from the present number on.
cudaError_t set_back(Bytes& high, Bytes now, Bytes value) {
  if (value != 0) return report(cudaErrorInvalidValue);
  high = now;
  return report(cudaSuccess);
}

bool is_device_location(const cudaMemLocation& location) {
  return location.type == cudaMemLocationTypeDevice && is_device(location.id);
}

constexpr cudaMemPoolAttr kAttributeOfGraphs[] = {
    cudaMemPoolAttrUsedMemCurrent, cudaMemPoolAttrUsedMemHigh, cudaMemPoolAttrReservedMemCurrent,
    cudaMemPoolAttrReservedMemHigh};

bool is_attribute_of_graphs(cudaGraphMemAttributeType attribute) {
  return attribute >= cudaGraphMemAttrUsedMemCurrent &&
         attribute <= cudaGraphMemAttrReservedMemHigh;
}

}  // namespace

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  if (!pool || !properties) return report(cudaErrorInvalidValue);
  if (properties->allocType != cudaMemAllocationTypePinned) return report(cudaErrorInvalidValue);
  if (properties->handleTypes != cudaMemHandleTypeNone || !is_device_location(properties->location))
    return report(cudaErrorNotSupported);
  *pool = MemoryPools::get().create(properties->location.id, properties->maxSize);
  return report(cudaSuccess);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  MemoryPools& pools = MemoryPools::get();
  return report(pools.is_live(pool) && pools.destroy(pool) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  if (!is_device(device)) return report(cudaErrorInvalidDevice);
  if (!pool) return report(cudaErrorInvalidValue);
  *pool = &MemoryPools::get().default_of(device);
  return report(cudaSuccess);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  if (!is_device(device)) return report(cudaErrorInvalidDevice);
  if (!pool) return report(cudaErrorInvalidValue);
  *pool = &MemoryPools::get().current_of(device);
  return report(cudaSuccess);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  MemoryPools& pools = MemoryPools::get();
  if (!is_device(device)) return report(cudaErrorInvalidDevice);
  const bool is_set = pools.is_live(pool) && pools.set_current(device, pool);
  return report(is_set ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  if (!MemoryPools::get().is_live(pool) || !value) return report(cudaErrorInvalidValue);
  if (int* const reuse = reuse_of(*pool, attribute)) {
    *reuse = *static_cast<int*>(value);
    return report(cudaSuccess);
  }
  const Bytes bytes = *static_cast<Bytes*>(value);
  switch (attribute) {
    case cudaMemPoolAttrReleaseThreshold:
      pool->threshold = bytes;
      pool->keep(bytes);
      return report(cudaSuccess);
    case cudaMemPoolAttrReservedMemHigh:
      return set_back(pool->reserved_high, pool->reserved, bytes);
    case cudaMemPoolAttrUsedMemHigh:
      return set_back(pool->used_high, pool->used, bytes);
    default:
      return report(cudaErrorInvalidValue);
  }
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  if (!MemoryPools::get().is_live(pool) || !value) return report(cudaErrorInvalidValue);
  if (const int* const reuse = reuse_of(*pool, attribute)) {
    *static_cast<int*>(value) = *reuse;
  } else if (const Bytes* const bytes = bytes_of(*pool, attribute)) {
    *static_cast<Bytes*>(value) = *bytes;
  } else {
    return report(cudaErrorInvalidValue);
  }
  return report(cudaSuccess);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t bytes) {
  if (!MemoryPools::get().is_live(pool)) return report(cudaErrorInvalidValue);
  pool->keep(bytes);
  return report(cudaSuccess);
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* accesses,
                                 std::size_t count) {
  if (!MemoryPools::get().is_live(pool) || (count > 0 && !accesses))
    return report(cudaErrorInvalidValue);
  for (std::size_t i = 0; i < count; ++i) {
    const cudaMemAccessDesc& access = accesses[i];
    if (!is_device_location(access.location)) return report(cudaErrorInvalidValue);
    const bool is_own = access.location.id == pool->device;
    const bool is_open = access.flags == cudaMemAccessFlagsProtReadWrite;
    const bool can_be_open =
        is_own || cuda_simulator::PeerAccess::get().is_possible(access.location.id, pool->device);
    if (is_own ? !is_open : is_open && !can_be_open) return report(cudaErrorInvalidValue);
    pool->is_open_to[static_cast<std::size_t>(access.location.id)] = is_open;
  }
  return report(cudaSuccess);
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool,
                                 cudaMemLocation* location) {
  const bool is_valid = MemoryPools::get().is_live(pool) && flags && location;
  if (!is_valid || !is_device_location(*location)) return report(cudaErrorInvalidValue);
  const bool is_open =
      location->id == pool->device || pool->is_open_to[static_cast<std::size_t>(location->id)];
  *flags = is_open ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
  return report(cudaSuccess);
}

// In a captured stream the graph allocates the memory; its address is known now.
cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  MemoryPools& pools = MemoryPools::get();
  if (!pools.is_live(pool) || !pointer) return report(cudaErrorInvalidValue);
  if (!cuda_simulator::Streams::get().find(stream)) return report(cudaErrorInvalidResourceHandle);
  const cuda_simulator::DeviceChoice choice(pool->device);
  StreamCapture& capture = StreamCapture::get();
  if (const cudaError_t error = capture.forbid_default_stream(stream)) return report(error);
  if (capture.captures(stream)) {
    void* const memory = *pointer = cuda_simulator::reserve_graph_memory(bytes);
    if (!memory) return report(bytes == 0 ? cudaSuccess : cudaErrorMemoryAllocation);
    capture.take(
        stream, [=] { cuda_simulator::allocate_graph_memory(memory); }, cudaGraphNodeTypeMemAlloc);
    capture.graph_of(stream)->nodes.back()->allocated = memory;
    return report(cudaSuccess);
  }
  if (!pool->has_room(bytes)) return report(cudaErrorMemoryAllocation);
  const cudaError_t error = cudaMalloc(pointer, bytes);
  if (error == cudaSuccess && *pointer) pools.allocated(*pool, *pointer, bytes);
  return error;
}

cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
  const auto known = cuda_simulator::Streams::get().find(stream);
  if (!known) return report(cudaErrorInvalidResourceHandle);
  return cudaMallocFromPoolAsync(pointer, bytes, &MemoryPools::get().current_of(known->device),
                                 stream);
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  StreamCapture& capture = StreamCapture::get();
  if (!cuda_simulator::Streams::get().find(stream)) return report(cudaErrorInvalidResourceHandle);
  if (!capture.captures(stream)) return cudaFree(pointer);
  if (!pointer) return report(cudaErrorInvalidValue);
  capture.take(
      stream, [=] { cuda_simulator::free_graph_memory(pointer); }, cudaGraphNodeTypeMemFree);
  return report(cudaSuccess);
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void* value) {
  if (!is_device(device)) return report(cudaErrorInvalidDevice);
  if (!value || !is_attribute_of_graphs(attribute)) return report(cudaErrorInvalidValue);
  *static_cast<Bytes*>(value) =
      *bytes_of(MemoryPools::get().of_graphs(device), kAttributeOfGraphs[attribute]);
  return report(cudaSuccess);
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void* value) {
  if (!is_device(device)) return report(cudaErrorInvalidDevice);
  if (!value) return report(cudaErrorInvalidValue);
  CudaSimulatorMemPool& pool = MemoryPools::get().of_graphs(device);
  const Bytes bytes = *static_cast<Bytes*>(value);
  if (attribute == cudaGraphMemAttrUsedMemHigh) return set_back(pool.used_high, pool.used, bytes);
  if (attribute == cudaGraphMemAttrReservedMemHigh)
    return set_back(pool.reserved_high, pool.reserved, bytes);
  return report(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
  if (!is_device(device)) return report(cudaErrorInvalidDevice);
  MemoryPools::get().of_graphs(device).keep(0);
  return report(cudaSuccess);
}
