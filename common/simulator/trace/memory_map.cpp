#include "trace/memory_map.h"

#include "execution/shared_memory.h"
#include "runtime/memory_pools.h"
#include "runtime/registered_memory.h"
#include "trace/report/finding_log.h"

#include "simulator/findings.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

extern "C" {
extern __thread char cuda_simulator_dynamic_shared[];
// The linker's symbols for the begin and end of the section of __constant__ variables, if there are
// any.
extern const char __start_cuda_constant[] __attribute__((weak));
extern const char __stop_cuda_constant[] __attribute__((weak));
}

namespace cuda_simulator {

void MemoryMap::begin_grid(const Block& block) {
  block_ = &block;
  locate_shared_memory();
  dynamic_bytes_ = block.grid().dynamic_shared_bytes;
  last_shared_ = nullptr;
  accessed_shared_.clear();
}

std::size_t MemoryMap::accessed_shared_bytes() const {
  std::size_t bytes = 0;
  for (const Symbol* const variable : accessed_shared_) bytes += variable->bytes;
  return bytes;
}

void MemoryMap::locate_shared_memory() {
  const ThreadLocalBlock range = thread_local_block();
  shared_begin_ = range.begin;
  shared_bytes_ = std::min(range.bytes, kMaxSharedBytes);
  dynamic_offset_ = reinterpret_cast<std::uintptr_t>(cuda_simulator_dynamic_shared) - shared_begin_;
}

std::optional<AddressedArray> MemoryMap::array_of(Step step, std::uintptr_t address) {
  if (device_.contains(address)) {
    const Allocation& allocation = device_.on_page_of(address);
    if (allocation.freed || !allocation.holds(address, step.bytes())) {
      refuse_device_access(address, step);
    }
    const int device = block_->grid().device;
    if (allocation.device != device && allocation.kind == MemoryKind::device &&
        !PeerAccess::get().is_enabled(device, allocation.device) &&
        !MemoryPools::get().is_open_to(reinterpret_cast<const void*>(allocation.begin), device)) {
      refuse_peer_access(allocation.device, step);
    }
    return AddressedArray{Region::device, allocation.kind == MemoryKind::device, device_.begin(),
                          allocation.begin, allocation.bytes};
  }
  if (address - shared_begin_ < shared_bytes_) {
    if (executable_.is_guard(address - shared_begin_)) return std::nullopt;
    return shared_array_of(step, address - shared_begin_);
  }
  const Grid& grid = block_->grid();
  const auto arguments = reinterpret_cast<std::uintptr_t>(grid.arguments);
  if (address - arguments < grid.arguments_bytes) return std::nullopt;
  if (executable_.in_writable_data(address)) return variable_of(step, address);
  if (executable_.in_image(address)) {
    check_constant(step, address);
    return std::nullopt;
  }
  if (address < kNullPageBytes) {
    reporter_.refuse(finding_kind::kNullPointer,
                     "the kernel dereferences a null pointer. Was the memory allocated, and did "
                     "cudaMalloc succeed? The pointer to an array of 0 elements is null too.",
                     cudaErrorIllegalAddress, step);
  }
  if (address - exception_begin_ < exception_bytes_ && exception_thread_ == block_->thread())
    return std::nullopt;
  if (device_pointer_of_registered(reinterpret_cast<const void*>(address))) {
    reporter_.refuse(finding_kind::kHostPointer,
                     "the kernel accesses registered memory through the host's pointer. Pass it "
                     "the pointer that cudaHostGetDevicePointer returns.",
                     cudaErrorIllegalAddress, step);
  }
  refuse_overflowed_index(address, step);
  reporter_.refuse(
      finding_kind::kHostPointer,
      "the kernel accesses an address outside device memory. Did you pass it a host pointer "
      "instead of a pointer from cudaMalloc? (A container such as std::vector cannot allocate "
      "memory in a kernel.)",
      cudaErrorIllegalAddress, step);
}

// A constant that the compiler placed in memory. A virtual call reads the table of its object's
// functions; each constructor stores the table of its side.
void MemoryMap::check_constant(Step step, std::uintptr_t address) const {
  const Symbol* const table = executable_.variable_at(address);
  if (!table || table->mangled.rfind("_ZTV", 0) != 0 || kernels_tables_.count(table) != 0) return;
  reporter_.refuse(finding_kind::kHostPointer,
                   "the kernel calls a virtual function of an object that host code has "
                   "constructed. The table of its functions is in host memory. Construct the "
                   "object in a kernel: new (place) T(...).",
                   cudaErrorIllegalAddress, step);
}

AddressedArray MemoryMap::shared_array_of(Step step, std::size_t offset) {
  if (offset - dynamic_offset_ < kMaxDynamicSharedBytes) {
    if (offset - dynamic_offset_ + step.bytes() > dynamic_bytes_) {
      reporter_.refuse(finding_kind::kOutOfBounds,
                       "the kernel accesses byte " + std::to_string(offset - dynamic_offset_) +
                           " of extern __shared__ memory, but the launch allocates " +
                           count_of(dynamic_bytes_, "byte") +
                           " per block (the third argument between <<< and >>>).",
                       cudaErrorIllegalAddress, step,
                       "memory=shared array=dynamic" +
                           range_facts(static_cast<std::ptrdiff_t>(offset - dynamic_offset_),
                                       dynamic_bytes_, step.bytes()));
    }
    return {Region::shared, true, shared_begin_, shared_begin_ + dynamic_offset_, dynamic_bytes_};
  }
  if (!last_shared_ || !last_shared_->holds(offset)) {
    last_shared_ = executable_.shared_at(offset);
    if (last_shared_) accessed_shared_.insert(last_shared_);
  }
  if (!last_shared_ || offset + step.bytes() > last_shared_->begin + last_shared_->bytes) {
    const Symbol* const nearest = executable_.nearest_shared(offset);
    reporter_.refuse(
        finding_kind::kOutOfBounds,
        nearest ? "the kernel accesses " + outside_shared_text(*nearest, offset, step.bytes())
                : "the kernel accesses shared memory but declares none.",
        cudaErrorIllegalAddress, step,
        nearest ? "memory=shared array=" + nearest->own_name() +
                      range_facts(static_cast<std::ptrdiff_t>(offset - nearest->begin),
                                  nearest->bytes, step.bytes())
                : "memory=shared");
  }
  return {Region::shared, true, shared_begin_, shared_begin_ + last_shared_->begin,
          last_shared_->bytes};
}

AddressedArray MemoryMap::variable_of(Step step, std::uintptr_t address) const {
  const auto constant_begin = reinterpret_cast<std::uintptr_t>(__start_cuda_constant);
  const auto constant_end = reinterpret_cast<std::uintptr_t>(__stop_cuda_constant);
  const bool is_constant = address - constant_begin < constant_end - constant_begin;
  const Symbol* const variable = executable_.variable_at(address);
  if (!variable || address + step.bytes() > variable->begin + variable->bytes) {
    reporter_.refuse(
        finding_kind::kOutOfBounds,
        "the kernel accesses memory outside every __device__ and __constant__ variable.",
        cudaErrorIllegalAddress, step);
  }
  if (is_constant && without_volatile(step.kind()) != AccessKind::load) {
    reporter_.refuse(finding_kind::kOutOfBounds,
                     "the kernel writes the __constant__ variable " + variable->own_name() +
                         ". Kernels can only read __constant__ memory.",
                     cudaErrorIllegalAddress, step);
  }
  return {is_constant ? Region::constant : Region::variables, false,
          executable_.writable_data_begin(), variable->begin, variable->bytes};
}

void MemoryMap::refuse_device_access(std::uintptr_t address, Step step) const {
  refuse_overflowed_index(address, step);
  const Allocation* const nearest = device_.nearest(address);
  if (!nearest) {
    reporter_.refuse(finding_kind::kOutOfBounds,
                     "the kernel accesses device memory, but the program has allocated none with "
                     "cudaMalloc.",
                     cudaErrorIllegalAddress, step);
  }
  const bool is_freed = nearest->freed && nearest->holds(address, 1);
  const Allocation* const given = nearest->freed ? nearest_argument(address) : nullptr;
  const Allocation& array = given ? *given : *nearest;
  if (is_freed && array.freed) {
    reporter_.refuse(finding_kind::kFreedMemory,
                     "the kernel accesses memory that was already released with cudaFree.",
                     cudaErrorIllegalAddress, step);
  }
  std::string text = "the kernel accesses " + describe_distance(array, address, step.bytes());
  if (is_freed) text += ", in memory that was released earlier and that no argument points to";
  text += ".";
  if (is_freed && address < array.begin)
    text +=
        " Is an index negative? A number that is too large for a short or an int becomes negative.";
  reporter_.refuse(finding_kind::kOutOfBounds, text, cudaErrorIllegalAddress, step,
                   distance_facts(array, address, step.bytes()));
}

// An index that is computed as a 32-bit integer and is too large for it is too small by 2^32.
void MemoryMap::refuse_overflowed_index(std::uintptr_t address, Step step) const {
  const std::uintptr_t meant = address + (std::uintptr_t{step.bytes()} << 32);
  if (!device_.contains(meant)) return;
  const Allocation& array = device_.on_page_of(meant);
  if (array.freed || !array.holds(meant, step.bytes())) return;
  reporter_.refuse(
      finding_kind::kOutOfBounds,
      "the kernel accesses memory 2^32 elements before " +
          element_text(meant - array.begin, step.bytes(), array.bytes) + "an allocation of " +
          count_of(array.bytes, "byte") +
          ". Has an index overflowed? An int is at most 2^31 - 1: compute the index as a "
          "std::size_t.",
      cudaErrorIllegalAddress, step, distance_facts(array, address, step.bytes()));
}

// The nearest allocation to which an argument of the kernel points: a freed one if an argument
// still points to the memory of this address; nullptr if there is none.
const Allocation* MemoryMap::nearest_argument(std::uintptr_t address) const {
  const Grid& grid = block_->grid();
  const Allocation* best = nullptr;
  for (std::size_t at = 0; at + sizeof(std::uintptr_t) <= grid.arguments_bytes;
       at += sizeof(std::uintptr_t)) {
    std::uintptr_t pointer;
    std::memcpy(&pointer, static_cast<const char*>(grid.arguments) + at, sizeof pointer);
    if (!device_.contains(pointer)) continue;
    const Allocation& allocation = device_.on_page_of(pointer);
    if (pointer - allocation.begin > allocation.bytes) continue;
    if (!best || allocation.distance(address) < best->distance(address)) best = &allocation;
  }
  return best;
}

void MemoryMap::refuse_peer_access(int peer, Step step) const {
  const int device = block_->grid().device;
  const std::string remedy =
      PeerAccess::get().is_possible(device, peer)
          ? "Call cudaDeviceEnablePeerAccess(" + std::to_string(peer) +
                ", 0) first, while device " + std::to_string(device) + " is the current device."
          : "These devices cannot access each other's memory (cudaDeviceCanAccessPeer returns 0): "
            "copy the data with cudaMemcpyPeer.";
  reporter_.refuse(finding_kind::kPeerAccess,
                   "the kernel runs on device " + std::to_string(device) +
                       " and accesses memory of device " + std::to_string(peer) +
                       ", but this access is not enabled. " + remedy,
                   cudaErrorIllegalAddress, step);
}

// On a real GPU, device memory is not in the host's address space, and the program would crash
// here.
bool MemoryMap::check_host_access(std::uintptr_t address, AccessKind kind,
                                  std::uintptr_t code) const {
  if (!device_.contains(address)) return false;
  const Allocation& allocation = device_.on_page_of(address);
  if (library_computes_) {
    if (!allocation.freed && allocation.holds(address, 1)) return false;
    FindingLog::get().add({finding_kind::kOutOfBounds,
                           "",
                           "a function that a library calls accesses device memory that is not "
                           "allocated.",
                           {host_place(code, name_of(kind))}});
    std::exit(1);
  }
  if (allocation.kind != MemoryKind::device) return true;
  FindingLog::get().add(
      {finding_kind::kDevicePointerOnHost,
       "",
       "host code uses a pointer to device memory. Only a kernel can dereference it; copy the "
       "data with cudaMemcpy first.",
       {host_place(code, name_of(kind))}});
  std::exit(1);
}

AccessedMemory MemoryMap::described(const AccessedBytes& accessed) const {
  const auto in_variable = [&](MemorySpace space, const Symbol& variable, std::uintptr_t address) {
    return AccessedMemory{space, variable.own_name(), variable.bytes, address - variable.begin,
                          accessed.bytes};
  };
  switch (accessed.region) {
    case Region::device: {
      const std::uintptr_t address = device_.begin() + accessed.offset;
      const Allocation& allocation = device_.on_page_of(address);
      return {MemorySpace::global, "an allocation of " + count_of(allocation.bytes, "byte"),
              allocation.bytes, address - allocation.begin, accessed.bytes};
    }
    case Region::variables: {
      const std::uintptr_t address = executable_.writable_data_begin() + accessed.offset;
      return in_variable(MemorySpace::global, *executable_.variable_at(address), address);
    }
    case Region::constant:
    case Region::shared:
      break;
  }
  if (const Symbol* const variable = executable_.shared_at(accessed.offset))
    return in_variable(MemorySpace::shared, *variable, accessed.offset);
  return {MemorySpace::shared, "extern __shared__ memory", dynamic_bytes_,
          accessed.offset - dynamic_offset_, accessed.bytes};
}

NamedArray MemoryMap::named(const AddressedArray& array) const {
  NamedArray named{space_of(array.region), "extern __shared__ memory", array.begin, array.bytes};
  if (array.region == Region::device) {
    named.name = "allocation " + std::to_string(device_.number_on_page_of(array.begin));
  } else if (array.region != Region::shared) {
    named.name = executable_.variable_at(array.begin)->own_name();
  } else if (const Symbol* const symbol = executable_.shared_at(array.begin - array.region_begin)) {
    named.name = symbol->own_name();
  }
  return named;
}

}  // namespace cuda_simulator
