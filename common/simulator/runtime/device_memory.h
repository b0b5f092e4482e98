#pragma once

#include "runtime/devices.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace cuda_simulator {

// An address below this one counts as a null pointer with an index.
constexpr std::uintptr_t kNullPageBytes = 1 << 16;

enum class MemoryKind : std::uint8_t { device, pinned_host, managed };

struct Allocation {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  MemoryKind kind = MemoryKind::device;
  bool freed = false;
  bool is_reserved = false;  // the addresses belong to a graph, which may allocate them again
  std::int8_t device = 0;    // the device on which it was allocated
  bool in_heap = false;      // a kernel allocated it, with malloc or new

  std::uintptr_t end() const { return begin + bytes; }
  bool holds(std::uintptr_t address, std::size_t size) const {
    return address - begin < bytes && size <= bytes - (address - begin);
  }
  // From an address outside; 0 inside.
  std::uintptr_t distance(std::uintptr_t address) const {
    return address < begin ? begin - address : address < end() ? 0 : address - end() + 1;
  }
};

// The memory of the simulated devices, including pinned and managed host memory: one reservation of
// addresses, and the same number of bytes per device. There are inaccessible pages between
// allocations, and addresses are not reused until they run out. So a wrong address never hits other
// data.
class DeviceMemory {
 public:
  static DeviceMemory& get();

  // Allocates on the calling thread's device; nullptr if it has less than `bytes` left. The address
  // is a multiple of 256, as in cudaMalloc, and the end is as close to an inaccessible page as
  // possible.
  void* allocate(std::size_t bytes, MemoryKind kind) { return allocate(bytes, kind, kAtTheEnd); }
  // At a given offset in the first page, in pages that nothing else uses.
  void* allocate(std::size_t bytes, MemoryKind kind, std::size_t offset_in_page);
  enum class Freed { yes, not_an_allocation, already_freed };
  Freed free(void* pointer, bool from_heap = false);
  // The heap of a device's kernels. nullptr if it has less than `bytes` left.
  void* allocate_in_heap(std::size_t bytes);
  std::size_t heap_limit() const { return heap_limit_; }
  void set_heap_limit(std::size_t bytes) { heap_limit_ = bytes; }
  void free_all(int device);
  // Addresses for memory that a graph allocates at each launch. Until then they count as freed.
  void* reserve_for_graph(std::size_t bytes);
  // Allocates reserved addresses; false if they are allocated, or if the device has not enough
  // left.
  bool allocate_reserved(void* pointer);

  bool contains(std::uintptr_t address) const { return address - begin_ < kReservedBytes; }

  // The allocation, live or freed, on the page of `address`; an empty one if there is none.
  // contains() must be true for `address`.
  const Allocation& on_page_of(std::uintptr_t address) const {
    return allocations_[page_owner_[(address - begin_) / kPageBytes]];
  }
  // Allocations are numbered from 1, in the order in which they were allocated.
  std::size_t number_on_page_of(std::uintptr_t address) const {
    return page_owner_[(address - begin_) / kPageBytes];
  }
  // The live or freed allocation that is nearest to `address`, or nullptr.
  const Allocation* nearest(std::uintptr_t address) const;

  // In the order in which they were allocated.
  std::vector<Allocation> live() const;

  std::size_t total_bytes() const;  // per device
  std::size_t free_bytes(int device) const;
  std::uintptr_t begin() const { return begin_; }

  static constexpr std::size_t kReservedBytes = std::size_t{64} << 30;

 private:
  DeviceMemory();

  static constexpr std::size_t kPageBytes = 4096, kAtTheEnd = kPageBytes;
  std::uintptr_t find_addresses(std::size_t bytes);
  std::uintptr_t find_gap(std::size_t bytes) const;

  std::uintptr_t begin_ = 0;
  std::uint32_t* page_owner_ = nullptr;  // index into allocations_ for each page of the reservation
  std::vector<Allocation> allocations_;  // [0] is the empty one
  std::uintptr_t next_ = 0;
  std::array<std::size_t, kMostDevices> used_bytes_{}, used_in_heap_{};
  std::size_t heap_limit_ = 8 << 20;
  mutable std::mutex mutex_;
};

// Allocates for the runtime's `function`: cudaMalloc or one of its relatives. Returns CUDA's error.
cudaError_t allocate(void** pointer, std::size_t bytes, MemoryKind kind, const char* function);

}  // namespace cuda_simulator
