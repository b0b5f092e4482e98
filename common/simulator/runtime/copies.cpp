#include "runtime/copies.h"

#include "program/executable.h"
#include "runtime/arrays.h"
#include "runtime/device_memory.h"
#include "runtime/error_state.h"
#include "runtime/registered_memory.h"
#include "runtime/streams.h"
#include "trace/tracer.h"

#include "simulator/snapshot.h"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace cuda_simulator {
namespace {

// The __device__ and __constant__ variables whose addresses the program has requested.
class KnownSymbols {
 public:
  static KnownSymbols& get() {
    static KnownSymbols& symbols =
        *new KnownSymbols;  // never destroyed: a program's own objects may end after it
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

// Replaces an array by its memory, and its positions by bytes. Returns whether the copy stays
// inside the array.
bool open_array(const cudaArray* array, cudaPitchedPtr& memory, cudaPos& position,
                const cudaExtent& extent) {
  if (!array) return memory.ptr != nullptr;
  if (memory.ptr || !is_live(array)) return false;
  const auto fits = [](std::size_t first, std::size_t count, std::size_t all) {
    return first <= all && count <= all - first;
  };
  if (!fits(position.x, extent.width, array->extent.width) ||
      !fits(position.y, extent.height, array->rows()) ||
      !fits(position.z, extent.depth, array->slices()))
    return false;
  memory = {array->memory, array->row_bytes(), array->row_bytes(), array->rows()};
  position.x *= array->texel_bytes;
  return true;
}

}  // namespace

void add_known_symbol(const void* symbol, std::size_t bytes) {
  KnownSymbols::get().add(symbol, bytes);
}

namespace {

std::atomic<std::uint64_t> handled_by_host{0};

// Whether only kernels reach it: memory of cudaMalloc(), an array, a variable.
bool is_of_kernels(const void* pointer) {
  return lies_on(Side::device, pointer, 1) && !lies_on(Side::host, pointer, 1);
}

// Pinned and managed memory are neither: there the host's own accesses are counted.
bool is_of_host(const void* pointer) {
  return lies_on(Side::host, pointer, 1) &&
         !DeviceMemory::get().contains(reinterpret_cast<std::uintptr_t>(pointer));
}

// Whether the bytes are most of the allocation.
bool is_whole_array(const void* pointer, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const DeviceMemory& memory = DeviceMemory::get();
  return memory.contains(address) && 2 * bytes > memory.on_page_of(address).bytes;
}

// A whole array may have short rows that get a pitch; parts of one have places that the host chose.
void count_copy(const void* destination, const void* source, const Rows& rows) {
  constexpr std::size_t kSectorBytes = 32;
  const std::size_t bytes = rows.bytes * rows.count;
  const bool crosses = is_of_host(destination) != is_of_host(source);
  const bool are_single_elements =
      is_of_kernels(destination) && is_of_kernels(source) && rows.bytes < kSectorBytes &&
      !is_whole_array(destination, bytes) && !is_whole_array(source, bytes);
  if (crosses || are_single_elements) handled_by_host += bytes;
}

}  // namespace

void count_copy_of_symbol(const void* other, std::size_t bytes) {
  if (is_of_host(other)) handled_by_host += bytes;
}

void count_host_access(std::size_t bytes) { handled_by_host += bytes; }

std::uint64_t bytes_handled_by_host() { return handled_by_host; }

bool is_on_device(const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const DeviceMemory& memory = DeviceMemory::get();
  return memory.contains(address) && memory.on_page_of(address).kind == MemoryKind::device;
}

CopyOrder order_of_host_copy(const void* other) { return {nullptr, !is_on_device(other)}; }

bool lies_on(Side side, const void* pointer, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (!pointer) return false;
  const DeviceMemory& memory = DeviceMemory::get();
  if (!memory.contains(address)) {
    const auto symbol_bytes = KnownSymbols::get().bytes_from(address);
    return symbol_bytes ? side == Side::device && bytes <= *symbol_bytes : side == Side::host;
  }
  const Allocation& allocation = memory.on_page_of(address);
  if (allocation.freed || allocation.in_heap || !allocation.holds(address, bytes)) return false;
  return side == Side::device || allocation.kind != MemoryKind::device;
}

namespace {

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

// The source and target that a direction specifies.
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

// The remedy for a copy to or from a variable by its name; empty if the memory is not a variable.
std::string remedy_for_variable(const void* memory, bool is_target) {
  const Symbol* const variable =
      Executable::get().variable_at(reinterpret_cast<std::uintptr_t>(memory));
  if (!variable) return "";
  return " If " + variable->own_name() + " is a __device__ or __constant__ variable, copy " +
         (is_target ? "to it with cudaMemcpyToSymbol." : "from it with cudaMemcpyFromSymbol.");
}

bool is_freed(const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const DeviceMemory& memory = DeviceMemory::get();
  return memory.contains(address) && memory.on_page_of(address).freed;
}

bool is_in_heap(const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const DeviceMemory& memory = DeviceMemory::get();
  return memory.contains(address) && memory.on_page_of(address).in_heap;
}

Side other(Side side) { return side == Side::host ? Side::device : Side::host; }

// The reason why the runtime refuses a copy.
CopyRefusal refusal(const void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (is_in_heap(to) || is_in_heap(from)) {
    return {
        "Only kernels can use memory that a kernel has allocated with malloc or new. Copy the "
        "data in a kernel to memory of cudaMalloc first.",
        "heap"};
  }
  const std::string all = "All " + std::to_string(bytes) + " bytes must be in allocated memory";
  if (kind == cudaMemcpyDefault)
    return {all + ", at the target and at the source.", "too_many_bytes"};
  const Direction direction = direction_of(kind);
  const auto memory_of = [](Side side) { return side == Side::host ? "host" : "device"; };
  const bool to_lies_wrong =
      !lies_on(direction.to, to, bytes) && lies_on(other(direction.to), to, bytes);
  const bool from_lies_wrong =
      !lies_on(direction.from, from, bytes) && lies_on(other(direction.from), from, bytes);
  const std::string name = std::string("Its direction is ") + direction.name + ", but its ";
  if (to_lies_wrong && from_lies_wrong) {
    return {name + "target is in " + memory_of(other(direction.to)) + " memory and its source in " +
                memory_of(other(direction.from)) +
                " memory: change the direction, or swap the pointers. The target is the first "
                "argument.",
            "wrong_memory"};
  }
  if (to_lies_wrong || from_lies_wrong) {
    const Side side = other(to_lies_wrong ? direction.to : direction.from);
    return {name +
                (to_lies_wrong ? "target, the first argument," : "source, the second argument,") +
                " is in " + memory_of(side) + " memory." +
                remedy_for_variable(to_lies_wrong ? to : from, to_lies_wrong),
            "wrong_memory"};
  }
  const bool to_is_short = !lies_on(direction.to, to, bytes);
  const std::string side =
      to_is_short ? "target, the first argument," : "source, the second argument,";
  if (is_freed(to_is_short ? to : from))
    return {"The memory of its " + side + " has been freed.", "freed"};
  return {all + ", but those at the " + side + " are not.", "too_many_bytes"};
}

// The devices whose memory a work uses; their default streams wait for it.
std::vector<int> devices_of(std::initializer_list<const void*> pointers) {
  std::vector<int> devices;
  const DeviceMemory& memory = DeviceMemory::get();
  for (const void* const pointer : pointers) {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    if (memory.contains(address) && memory.on_page_of(address).kind == MemoryKind::device)
      devices.push_back(memory.on_page_of(address).device);
  }
  return devices;
}

// Whether a copy goes from pageable memory to a device. The runtime puts the data aside and
// returns; it does not promise that the data has arrived.
bool is_staged(const void* destination, const void* source) {
  return is_on_device(destination) && lies_on(Side::host, source, 1) &&
         !DeviceMemory::get().contains(reinterpret_cast<std::uintptr_t>(source)) &&
         !device_pointer_of_registered(source);
}

// Adds the copy or the fill to a stream, and informs the tracer before it is executed.
void give(const CopyOrder& order, std::initializer_list<const void*> pointers,
          bool is_staged = false) {
  StreamOrder* const all = stream_order();
  if (!all) return;
  if (order.host_waits && is_staged) all->host_waits_for_stream(order.stream);
  const std::vector<int> devices = devices_of(pointers);
  const auto given =
      order.waits_for_all ? all->give_to_all(devices) : all->give(order.stream, devices);
  program_tracer()->work_begins(given, Streams::get().find(order.stream)->device);
  if (order.host_waits && !is_staged) all->host_waits(given.clock);
}

}  // namespace

cudaError_t copy(void* destination, const void* source, const Rows& rows, cudaMemcpyKind kind,
                 const CopyOrder& order, const CopyCall& call) {
  const RuntimeCall one_at_a_time;
  if (ErrorState::get().lost() != cudaSuccess) return report(cudaSuccess);
  if (!Streams::get().find(order.stream)) return report(cudaErrorInvalidResourceHandle);
  if (rows.bytes == 0 || rows.count == 0) return report(cudaSuccess);
  if (rows.bytes > rows.destination_pitch || rows.bytes > rows.source_pitch) {
    return report(cudaErrorInvalidPitchValue);
  }
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
    return report(cudaErrorInvalidMemcpyDirection);
  }
  give(order, {destination, source}, is_staged(destination, source));
  count_copy(destination, source, rows);
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

// A slice has rows at a constant distance on each side; each slice is copied separately.
cudaError_t copy_slices(const cudaMemcpy3DParms& parameters, const CopyOrder& order,
                        const CopyCall& call) {
  cudaMemcpy3DParms p = parameters;
  if (!open_array(p.srcArray, p.srcPtr, p.srcPos, p.extent) ||
      !open_array(p.dstArray, p.dstPtr, p.dstPos, p.extent))
    return report(cudaErrorInvalidValue);
  // The width is in elements of the array.
  if (const cudaArray* const array = p.srcArray ? p.srcArray : p.dstArray)
    p.extent.width *= array->texel_bytes;
  const auto slice = [](const cudaPitchedPtr& memory, const cudaPos& position, std::size_t number) {
    return static_cast<char*>(memory.ptr) +
           ((position.z + number) * memory.ysize + position.y) * memory.pitch + position.x;
  };
  cudaError_t error = report(cudaSuccess);
  for (std::size_t z = 0; z < p.extent.depth && error == cudaSuccess; ++z) {
    error = copy(slice(p.dstPtr, p.dstPos, z), slice(p.srcPtr, p.srcPos, z),
                 {p.extent.width, p.extent.height, p.dstPtr.pitch, p.srcPtr.pitch}, p.kind, order,
                 call);
  }
  return error;
}

cudaError_t fill(void* pointer, int value, const Rows& rows, const CopyOrder& order,
                 const CopyCall& call, std::size_t element_bytes) {
  const RuntimeCall one_at_a_time;
  if (ErrorState::get().lost() != cudaSuccess) return report(cudaSuccess);
  if (!Streams::get().find(order.stream)) return report(cudaErrorInvalidResourceHandle);
  if (rows.bytes > rows.destination_pitch) return report(cudaErrorInvalidValue);
  if (rows.bytes > 0 && rows.count > 0) give(order, {pointer});
  for (std::size_t row = 0; row < rows.count && rows.bytes > 0; ++row) {
    char* const to = static_cast<char*>(pointer) + row * rows.destination_pitch;
    if (!lies_on(Side::device, to, rows.bytes)) return report(cudaErrorInvalidValue);
    for (std::size_t i = 0; element_bytes > 1 && i < rows.bytes; i += element_bytes)
      std::memcpy(to + i, &value, element_bytes);  // the lowest bytes come first
    if (element_bytes == 1) std::memset(to, value, rows.bytes);
    if (Tracer* const tracer = program_tracer()) {
      tracer->memory_written(reinterpret_cast<std::uintptr_t>(to), rows.bytes, call.function,
                             reinterpret_cast<std::uintptr_t>(call.caller));
    }
  }
  return report(cudaSuccess);
}

}  // namespace cuda_simulator
