// The runtime API's memory functions.

#include "runtime/device_memory.h"
#include "runtime/error_state.h"
#include "runtime/stream_capture.h"
#include "trace/tracer.h"

#include "simulator/managed_memory.h"
#include "simulator/memory_3d.h"
#include "simulator/runtime_api.h"

#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace cuda_simulator {
namespace {

cudaError_t allocate(void** pointer, std::size_t bytes, MemoryKind kind) {
  if (ErrorState::get().lost() != cudaSuccess) return report(cudaSuccess);
  if (const cudaError_t error = StreamCapture::get().forbid_for_all()) return report(error);
  if (!pointer) return report(cudaErrorInvalidValue);
  *pointer = nullptr;
  if (bytes == 0) return report(cudaSuccess);
  *pointer = DeviceMemory::get().allocate(bytes, kind);
  return report(*pointer ? cudaSuccess : cudaErrorMemoryAllocation);
}

// cudaFreeHost() frees what cudaMallocHost() gave, and cudaFree() the rest.
cudaError_t release(void* pointer, bool pinned_host) {
  if (!pointer) return report(cudaSuccess);
  DeviceMemory& memory = DeviceMemory::get();
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const bool is_its_kind = memory.contains(address) && (memory.on_page_of(address).kind ==
                                                        MemoryKind::pinned_host) == pinned_host;
  const bool freed = is_its_kind && memory.free(pointer) == DeviceMemory::Freed::yes;
  return report(freed ? cudaSuccess : cudaErrorInvalidValue);
}

// The __device__ and __constant__ variables whose addresses the program has asked for.
class KnownSymbols {
 public:
  static KnownSymbols& get() {
    static KnownSymbols symbols;
    return symbols;
  }
  void add(const void* symbol, std::size_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    bytes_of_[reinterpret_cast<std::uintptr_t>(symbol)] = bytes;
  }
  // The bytes from `address` to the end of its variable; nothing if it is in none.
  std::optional<std::size_t> bytes_from(std::uintptr_t address) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto after = bytes_of_.upper_bound(address);
    if (after == bytes_of_.begin()) return std::nullopt;
    const auto [begin, bytes] = *std::prev(after);
    return address - begin < bytes ? std::optional(bytes - (address - begin)) : std::nullopt;
  }

 private:
  std::map<std::uintptr_t, std::size_t> bytes_of_;
  mutable std::mutex mutex_;
};

enum class Side { host, device };

// Where [pointer, pointer + bytes) lies. Pinned and managed memory count as either side.
bool lies_on(Side side, const void* pointer, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (!pointer) return false;
  const DeviceMemory& memory = DeviceMemory::get();
  if (!memory.contains(address)) {
    const auto symbol_bytes = KnownSymbols::get().bytes_from(address);
    return symbol_bytes ? side == Side::device && bytes <= *symbol_bytes : side == Side::host;
  }
  const Allocation& allocation = memory.on_page_of(address);
  if (allocation.freed || !allocation.holds(address, bytes)) return false;
  return side == Side::device || allocation.kind != MemoryKind::device;
}

bool may_copy(void* destination, const void* source, std::size_t bytes, cudaMemcpyKind kind) {
  if (kind == cudaMemcpyDefault) {
    return (lies_on(Side::host, destination, bytes) || lies_on(Side::device, destination, bytes)) &&
           (lies_on(Side::host, source, bytes) || lies_on(Side::device, source, bytes));
  }
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  return lies_on(to_device ? Side::device : Side::host, destination, bytes) &&
         lies_on(from_device ? Side::device : Side::host, source, bytes);
}

// Where a direction says that a copy goes.
struct Direction {
  const char* name;
  Side to, from;
};

Direction direction_of(cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToDevice:
      return {"cudaMemcpyHostToDevice", Side::device, Side::host};
    case cudaMemcpyDeviceToHost:
      return {"cudaMemcpyDeviceToHost", Side::host, Side::device};
    case cudaMemcpyDeviceToDevice:
      return {"cudaMemcpyDeviceToDevice", Side::device, Side::device};
    default:
      return {"cudaMemcpyHostToHost", Side::host, Side::host};
  }
}

Side other(Side side) { return side == Side::host ? Side::device : Side::host; }

// Why a copy may not be made, in words.
std::string refusal(const void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  const std::string all = "All " + std::to_string(bytes) + " bytes must lie in memory that is";
  if (kind == cudaMemcpyDefault) return all + " allocated, at its target and at its source.";
  const Direction direction = direction_of(kind);
  const auto memory_of = [](Side side) { return side == Side::host ? "host's" : "device's"; };
  const bool to_lies_wrong =
      !lies_on(direction.to, to, bytes) && lies_on(other(direction.to), to, bytes);
  const bool from_lies_wrong =
      !lies_on(direction.from, from, bytes) && lies_on(other(direction.from), from, bytes);
  const std::string name = std::string("Its direction is ") + direction.name + ", and its ";
  if (to_lies_wrong && from_lies_wrong) {
    return name + "target is in the " + memory_of(other(direction.to)) +
           " memory and its source in the " + memory_of(other(direction.from)) +
           ": say the other direction, or exchange the pointers. The target is the first argument.";
  }
  if (to_lies_wrong || from_lies_wrong) {
    const Side side = other(to_lies_wrong ? direction.to : direction.from);
    return name + (to_lies_wrong ? "target, the first argument," : "source, the second argument,") +
           " is in the " + memory_of(side) + " memory.";
  }
  const bool to_is_short = !lies_on(direction.to, to, bytes);
  return all + " allocated, and those at its " +
         (to_is_short ? "target, the first argument," : "source, the second argument,") +
         " do not.";
}

void tell_tracer_written(const void* pointer, std::size_t bytes) {
  if (Tracer* const tracer = program_tracer())
    tracer->device_memory_written(reinterpret_cast<std::uintptr_t>(pointer), bytes);
}

// What a copy is called, and by whom, for the tracer.
struct CopyCall {
  const char* function;
  const void* caller;
};

struct Rows {
  std::size_t bytes, count, destination_pitch, source_pitch;
};

cudaError_t copy(void* destination, const void* source, const Rows& rows, cudaMemcpyKind kind,
                 const CopyCall& call) {
  if (ErrorState::get().lost() != cudaSuccess) return report(cudaSuccess);
  if (rows.bytes == 0 || rows.count == 0) return report(cudaSuccess);
  if (rows.bytes > rows.destination_pitch || rows.bytes > rows.source_pitch) {
    return report(cudaErrorInvalidPitchValue);
  }
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
    return report(cudaErrorInvalidMemcpyDirection);
  }
  for (std::size_t row = 0; row < rows.count; ++row) {
    char* const to = static_cast<char*>(destination) + row * rows.destination_pitch;
    const char* const from = static_cast<const char*>(source) + row * rows.source_pitch;
    if (!may_copy(to, from, rows.bytes, kind)) {
      if (Tracer* const tracer = program_tracer()) {
        tracer->copy_refused(refusal(to, from, rows.bytes, kind), call.function,
                             reinterpret_cast<std::uintptr_t>(call.caller));
      }
      return report(cudaErrorInvalidValue);
    }
    std::memmove(to, from, rows.bytes);
    if (Tracer* const tracer = program_tracer()) {
      tracer->memory_copied(reinterpret_cast<std::uintptr_t>(to),
                            reinterpret_cast<std::uintptr_t>(from), rows.bytes, call.function,
                            reinterpret_cast<std::uintptr_t>(call.caller));
    }
  }
  return report(cudaSuccess);
}

}  // namespace

cudaError_t symbol_address(void** pointer, const void* symbol, std::size_t bytes) {
  KnownSymbols::get().add(symbol, bytes);
  *pointer = const_cast<void*>(symbol);
  return report(cudaSuccess);
}

cudaError_t copy_to_symbol(void* symbol, std::size_t symbol_bytes, const void* source,
                           std::size_t bytes, std::size_t offset, cudaMemcpyKind) {
  if (offset > symbol_bytes || bytes > symbol_bytes - offset) return report(cudaErrorInvalidValue);
  std::memcpy(static_cast<char*>(symbol) + offset, source, bytes);
  return report(cudaSuccess);
}

cudaError_t copy_from_symbol(void* destination, const void* symbol, std::size_t symbol_bytes,
                             std::size_t bytes, std::size_t offset, cudaMemcpyKind) {
  if (offset > symbol_bytes || bytes > symbol_bytes - offset) return report(cudaErrorInvalidValue);
  std::memcpy(destination, static_cast<const char*>(symbol) + offset, bytes);
  tell_tracer_written(destination, bytes);
  return report(cudaSuccess);
}

}  // namespace cuda_simulator

using cuda_simulator::DeviceMemory;
using cuda_simulator::ErrorState;
using cuda_simulator::MemoryKind;
using cuda_simulator::report;
using cuda_simulator::StreamCapture;

namespace {

// What a stream is given: done now or, if the stream is captured, by whoever launches the graph.
template <typename Work>
cudaError_t captured_or_done(cudaStream_t stream, Work work) {
  return StreamCapture::get().take(stream, work) ? report(cudaSuccess) : work();
}

}  // namespace

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  return cuda_simulator::allocate(pointer, bytes, MemoryKind::device);
}

// Memory that a graph allocates is not simulated.
cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
  if (const cudaError_t error = StreamCapture::get().forbid(stream)) return report(error);
  return cudaMalloc(pointer, bytes);
}

cudaError_t cudaMallocHost(void** pointer, std::size_t bytes, unsigned) {
  return cuda_simulator::allocate(pointer, bytes, MemoryKind::pinned_host);
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  return cudaMallocHost(pointer, bytes, flags);
}

cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned) {
  return cuda_simulator::allocate(pointer, bytes, MemoryKind::managed);
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
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t) { return cudaFree(pointer); }
cudaError_t cudaFreeHost(void* pointer) {
  return cuda_simulator::release(pointer, /*pinned_host=*/true);
}

cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned) {
  if (!cuda_simulator::lies_on(cuda_simulator::Side::device, host_pointer, 1)) {
    return report(cudaErrorInvalidValue);
  }
  *device_pointer = host_pointer;
  return report(cudaSuccess);
}

cudaError_t cudaMemcpy(void* destination, const void* source, std::size_t bytes,
                       cudaMemcpyKind kind) {
  if (const cudaError_t error = StreamCapture::get().forbid_for_all()) return report(error);
  return cuda_simulator::copy(destination, source, {bytes, 1, bytes, bytes}, kind,
                              {"cudaMemcpy", __builtin_return_address(0)});
}

cudaError_t cudaMemcpyAsync(void* destination, const void* source, std::size_t bytes,
                            cudaMemcpyKind kind, cudaStream_t stream) {
  return captured_or_done(stream, [=, caller = __builtin_return_address(0)] {
    return cuda_simulator::copy(destination, source, {bytes, 1, bytes, bytes}, kind,
                                {"cudaMemcpyAsync", caller});
  });
}

cudaError_t cudaMemcpy2D(void* destination, std::size_t destination_pitch, const void* source,
                         std::size_t source_pitch, std::size_t width_bytes, std::size_t height,
                         cudaMemcpyKind kind) {
  return cuda_simulator::copy(destination, source,
                              {width_bytes, height, destination_pitch, source_pitch}, kind,
                              {"cudaMemcpy2D", __builtin_return_address(0)});
}

cudaError_t cudaMemcpy2DAsync(void* destination, std::size_t destination_pitch, const void* source,
                              std::size_t source_pitch, std::size_t width_bytes, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return captured_or_done(stream, [=, caller = __builtin_return_address(0)] {
    return cuda_simulator::copy(destination, source,
                                {width_bytes, height, destination_pitch, source_pitch}, kind,
                                {"cudaMemcpy2DAsync", caller});
  });
}

cudaError_t cudaMemset(void* pointer, int value, std::size_t bytes) {
  return cudaMemset2D(pointer, bytes, value, bytes, 1);
}

cudaError_t cudaMemsetAsync(void* pointer, int value, std::size_t bytes, cudaStream_t stream) {
  return captured_or_done(stream, [=] { return cudaMemset(pointer, value, bytes); });
}

cudaError_t cudaMemset2D(void* pointer, std::size_t pitch, int value, std::size_t width_bytes,
                         std::size_t height) {
  if (ErrorState::get().lost() != cudaSuccess) return report(cudaSuccess);
  if (width_bytes > pitch) return report(cudaErrorInvalidValue);
  for (std::size_t row = 0; row < height && width_bytes > 0; ++row) {
    char* const to = static_cast<char*>(pointer) + row * pitch;
    if (!cuda_simulator::lies_on(cuda_simulator::Side::device, to, width_bytes)) {
      return report(cudaErrorInvalidValue);
    }
    std::memset(to, value, width_bytes);
    cuda_simulator::tell_tracer_written(to, width_bytes);
  }
  return report(cudaSuccess);
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* memory, cudaExtent extent) {
  memory->xsize = extent.width;
  memory->ysize = extent.height;
  return cudaMallocPitch(&memory->ptr, &memory->pitch, extent.width, extent.height * extent.depth);
}

namespace {

// A slice of each side is rows at the same distance; each slice is copied for itself.
cudaError_t copy_slices(const cudaMemcpy3DParms& p, const cuda_simulator::CopyCall& call) {
  const auto slice = [](const cudaPitchedPtr& memory, const cudaPos& position, std::size_t number) {
    return static_cast<char*>(memory.ptr) +
           ((position.z + number) * memory.ysize + position.y) * memory.pitch + position.x;
  };
  cudaError_t error = report(cudaSuccess);
  for (std::size_t z = 0; z < p.extent.depth && error == cudaSuccess; ++z) {
    error = cuda_simulator::copy(slice(p.dstPtr, p.dstPos, z), slice(p.srcPtr, p.srcPos, z),
                                 {p.extent.width, p.extent.height, p.dstPtr.pitch, p.srcPtr.pitch},
                                 p.kind, call);
  }
  return error;
}

}  // namespace

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
  if (!parameters) return report(cudaErrorInvalidValue);
  return copy_slices(*parameters, {"cudaMemcpy3D", __builtin_return_address(0)});
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  if (!parameters) return report(cudaErrorInvalidValue);
  return captured_or_done(stream, [copied = *parameters, caller = __builtin_return_address(0)] {
    return copy_slices(copied, {"cudaMemcpy3DAsync", caller});
  });
}

cudaError_t cudaMemset3D(cudaPitchedPtr memory, int value, cudaExtent extent) {
  cudaError_t error = report(cudaSuccess);
  for (std::size_t z = 0; z < extent.depth && error == cudaSuccess; ++z) {
    error = cudaMemset2D(static_cast<char*>(memory.ptr) + z * memory.ysize * memory.pitch,
                         memory.pitch, value, extent.width, extent.height);
  }
  return error;
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr memory, int value, cudaExtent extent,
                              cudaStream_t stream) {
  return captured_or_done(stream, [=] { return cudaMemset3D(memory, value, extent); });
}

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
  if (is_device && location.id != 0) return report(cudaErrorInvalidDevice);
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

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  if (!attributes || !pointer) return report(cudaErrorInvalidValue);
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  void* const plain = const_cast<void*>(pointer);
  const DeviceMemory& memory = DeviceMemory::get();
  const bool is_known = memory.contains(address) && !memory.on_page_of(address).freed &&
                        memory.on_page_of(address).holds(address, 1);
  if (!is_known) {
    *attributes = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, plain};
    return report(cudaSuccess);
  }
  switch (memory.on_page_of(address).kind) {
    case MemoryKind::device:
      *attributes = {cudaMemoryTypeDevice, 0, plain, nullptr};
      break;
    case MemoryKind::pinned_host:
      *attributes = {cudaMemoryTypeHost, 0, plain, plain};
      break;
    case MemoryKind::managed:
      *attributes = {cudaMemoryTypeManaged, 0, plain, plain};
      break;
  }
  return report(cudaSuccess);
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  *free_bytes = DeviceMemory::get().free_bytes();
  *total_bytes = DeviceMemory::get().total_bytes();
  return report(cudaSuccess);
}
