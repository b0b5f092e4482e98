// The runtime API's functions that allocate and free memory, and those for variables.

#include "runtime/copies.h"
#include "runtime/device_memory.h"
#include "runtime/devices.h"
#include "runtime/error_state.h"
#include "runtime/registered_memory.h"
#include "runtime/stream_capture.h"
#include "runtime/stream_order.h"
#include "trace/tracer.h"

#include "simulator/memory_3d.h"
#include "simulator/runtime_api.h"

#include <cstring>

namespace cuda_simulator {

cudaError_t allocate(void** pointer, std::size_t bytes, MemoryKind kind, const char* function) {
  const RuntimeCall one_at_a_time;
  if (ErrorState::get().lost() != cudaSuccess) return report(cudaSuccess);
  if (const cudaError_t error = StreamCapture::get().forbid_for_all()) return report(error);
  if (!pointer) return report(cudaErrorInvalidValue);
  *pointer = nullptr;
  if (bytes == 0) return report(cudaSuccess);
  *pointer = DeviceMemory::get().allocate(bytes, kind);
  if (Tracer* const tracer = program_tracer(); tracer && *pointer) {
    tracer->device_memory_allocated(reinterpret_cast<std::uintptr_t>(*pointer), bytes, function);
  }
  return report(*pointer ? cudaSuccess : cudaErrorMemoryAllocation);
}

namespace {

// cudaFreeHost() frees memory of cudaMallocHost(), and cudaFree() all other memory.
cudaError_t release(void* pointer, bool pinned_host) {
  const RuntimeCall one_at_a_time;
  if (const cudaError_t error = StreamCapture::get().forbid_for_all()) return report(error);
  if (!pointer) return report(cudaSuccess);
  DeviceMemory& memory = DeviceMemory::get();
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const bool is_its_kind = memory.contains(address) && (memory.on_page_of(address).kind ==
                                                        MemoryKind::pinned_host) == pinned_host;
  if (StreamOrder* const order = stream_order(); order && is_its_kind)
    order->host_waits_for_device(memory.on_page_of(address).device);
  const bool freed = is_its_kind && memory.free(pointer) == DeviceMemory::Freed::yes;
  return report(freed ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t write_symbol(void* symbol, std::size_t symbol_bytes, const void* source,
                         std::size_t bytes, std::size_t offset) {
  if (offset > symbol_bytes || bytes > symbol_bytes - offset) return report(cudaErrorInvalidValue);
  count_copy_of_symbol(source, bytes);
  std::memcpy(static_cast<char*>(symbol) + offset, source, bytes);
  return report(cudaSuccess);
}

cudaError_t read_symbol(void* destination, const void* symbol, std::size_t symbol_bytes,
                        std::size_t bytes, std::size_t offset) {
  if (offset > symbol_bytes || bytes > symbol_bytes - offset) return report(cudaErrorInvalidValue);
  count_copy_of_symbol(destination, bytes);
  std::memcpy(destination, static_cast<const char*>(symbol) + offset, bytes);
  const RuntimeCall one_at_a_time;
  if (Tracer* const tracer = program_tracer())
    tracer->device_memory_written(reinterpret_cast<std::uintptr_t>(destination), bytes);
  return report(cudaSuccess);
}

// A copy without a stream, to or from a variable: the host waits, unless both are on devices.
void host_waits(cudaMemcpyKind kind) {
  const RuntimeCall one_at_a_time;
  StreamOrder* const order = stream_order();
  if (order && kind != cudaMemcpyDeviceToDevice) order->host_waits_for_stream(nullptr);
}

}  // namespace

cudaError_t symbol_address(void** pointer, const void* symbol, std::size_t bytes) {
  add_known_symbol(symbol, bytes);
  *pointer = const_cast<void*>(symbol);
  return report(cudaSuccess);
}

cudaError_t copy_to_symbol(void* symbol, std::size_t symbol_bytes, const void* source,
                           std::size_t bytes, std::size_t offset, cudaMemcpyKind kind) {
  if (const cudaError_t error = StreamCapture::get().forbid_default_stream()) return report(error);
  host_waits(kind);
  return write_symbol(symbol, symbol_bytes, source, bytes, offset);
}

cudaError_t copy_to_symbol_async(void* symbol, std::size_t symbol_bytes, const void* source,
                                 std::size_t bytes, std::size_t offset, cudaStream_t stream) {
  return captured_or_done(stream, [=](cudaStream_t) {
    return write_symbol(symbol, symbol_bytes, source, bytes, offset);
  });
}

cudaError_t copy_from_symbol(void* destination, const void* symbol, std::size_t symbol_bytes,
                             std::size_t bytes, std::size_t offset, cudaMemcpyKind kind) {
  if (const cudaError_t error = StreamCapture::get().forbid_default_stream()) return report(error);
  host_waits(kind);
  return read_symbol(destination, symbol, symbol_bytes, bytes, offset);
}

cudaError_t copy_from_symbol_async(void* destination, const void* symbol, std::size_t symbol_bytes,
                                   std::size_t bytes, std::size_t offset, cudaStream_t stream) {
  return captured_or_done(stream, [=](cudaStream_t) {
    return read_symbol(destination, symbol, symbol_bytes, bytes, offset);
  });
}

}  // namespace cuda_simulator

using cuda_simulator::DeviceMemory;
using cuda_simulator::MemoryKind;
using cuda_simulator::report;
using cuda_simulator::StreamCapture;

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  return cuda_simulator::allocate(pointer, bytes, MemoryKind::device, "cudaMalloc");
}

cudaError_t cudaMallocHost(void** pointer, std::size_t bytes, unsigned) {
  return cuda_simulator::allocate(pointer, bytes, MemoryKind::pinned_host, "cudaMallocHost");
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  return cudaMallocHost(pointer, bytes, flags);
}

cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned) {
  return cuda_simulator::allocate(pointer, bytes, MemoryKind::managed, "cudaMallocManaged");
}

cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch_bytes, std::size_t width_bytes,
                            std::size_t height) {
  constexpr std::size_t kPitchAlignment = 512;
  *pitch_bytes = (width_bytes + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
  return cudaMalloc(pointer, *pitch_bytes * height);
}

cudaError_t cudaFree(void* pointer) {
  return cuda_simulator::release(pointer, /*pinned_host=*/false);
}
cudaError_t cudaFreeHost(void* pointer) {
  return cuda_simulator::release(pointer, /*pinned_host=*/true);
}

cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned) {
  if (void* const registered = cuda_simulator::device_pointer_of_registered(host_pointer)) {
    *device_pointer = registered;
    return report(cudaSuccess);
  }
  if (!cuda_simulator::lies_on(cuda_simulator::Side::device, host_pointer, 1)) {
    return report(cudaErrorInvalidValue);
  }
  *device_pointer = host_pointer;
  return report(cudaSuccess);
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* memory, cudaExtent extent) {
  memory->xsize = extent.width;
  memory->ysize = extent.height;
  return cudaMallocPitch(&memory->ptr, &memory->pitch, extent.width, extent.height * extent.depth);
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  *free_bytes = DeviceMemory::get().free_bytes(cuda_simulator::current_device());
  *total_bytes = DeviceMemory::get().total_bytes();
  return report(cudaSuccess);
}
