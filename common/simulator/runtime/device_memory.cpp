#include "runtime/device_memory.h"

#include "runtime/memory_pools.h"
#include "trace/tracer.h"

#include "simulator/snapshot.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>

namespace cuda_simulator {
namespace {

constexpr std::size_t kAlignment = 256;  // that of cudaMalloc
constexpr std::size_t kHugePageBytes = 2 << 20;
// The list never moves: another thread may read it while up to this many allocations are added.
constexpr std::size_t kListedAllocations = 1 << 20;

std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

void* reserve(std::size_t bytes, int protection) {
  void* const memory =
      mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    std::fprintf(
        stderr,
        "CUDA simulator: cannot reserve %zu GiB of addresses. If `ulimit -v` sets a limit, "
        "remove it.\n",
        bytes >> 30);
    std::exit(1);
  }
  return memory;
}

// Half of the computer's memory, divided among the devices, because the host needs the same data
// too.
std::size_t simulated_memory_bytes() {
  const std::size_t physical = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                               static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
  const std::size_t of_all = std::min(physical / 2, DeviceMemory::kReservedBytes / 4);
  return of_all / static_cast<std::size_t>(device_count()) >> 20 << 20;
}

}  // namespace

DeviceMemory& DeviceMemory::get() {
  static DeviceMemory& memory =
      *new DeviceMemory;  // never destroyed: a program's own objects may end after it
  return memory;
}

DeviceMemory::DeviceMemory() : allocations_(1) {
  allocations_.reserve(kListedAllocations);
  begin_ = reinterpret_cast<std::uintptr_t>(reserve(kReservedBytes, PROT_NONE));
  page_owner_ = static_cast<std::uint32_t*>(
      reserve(kReservedBytes / kPageBytes * sizeof *page_owner_, PROT_READ | PROT_WRITE));
  next_ = begin_ + kPageBytes;
}

// Computed on first use, because the program may still set the number of devices.
std::size_t DeviceMemory::total_bytes() const {
  static const std::size_t bytes = simulated_memory_bytes();
  return bytes;
}

void* DeviceMemory::allocate(std::size_t bytes, MemoryKind kind, std::size_t offset_in_page) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const int device = current_device();
  std::size_t& used_bytes = used_bytes_[static_cast<std::size_t>(device)];
  if (bytes == 0 || bytes > total_bytes() - used_bytes) return nullptr;
  const bool is_at_the_end = offset_in_page == kAtTheEnd;
  const std::size_t page_bytes = round_up(bytes + (is_at_the_end ? 0 : offset_in_page), kPageBytes);
  const std::uintptr_t pages = find_addresses(page_bytes + kPageBytes);
  if (pages == 0) return nullptr;
  if (mprotect(reinterpret_cast<void*>(pages), page_bytes, PROT_READ | PROT_WRITE) != 0)
    return nullptr;
  if (page_bytes >= kHugePageBytes) {
    // Kernels stride through memory: with small pages every access misses the processor's TLB.
    madvise(reinterpret_cast<void*>(pages), page_bytes, MADV_HUGEPAGE);
  }

  const std::uintptr_t begin =
      pages + (is_at_the_end ? page_bytes - round_up(bytes, kAlignment) : offset_in_page);
  const std::size_t first_page = (pages - begin_) / kPageBytes;
  // The page after it counts as its own too: a wrong address there is an error of this allocation.
  std::fill_n(page_owner_ + first_page, page_bytes / kPageBytes + 1,
              static_cast<std::uint32_t>(allocations_.size()));
  allocations_.push_back({begin, bytes, kind, false, false, static_cast<std::int8_t>(device)});
  used_bytes += bytes;
  return reinterpret_cast<void*>(begin);
}

std::uintptr_t DeviceMemory::find_addresses(std::size_t bytes) {
  if (next_ + bytes <= begin_ + kReservedBytes) {
    const std::uintptr_t found = next_;
    next_ += bytes;
    return found;
  }
  return find_gap(bytes);
}

// The first gap between live allocations that is large enough, or 0. From here on, freed addresses
// are reused.
std::uintptr_t DeviceMemory::find_gap(std::size_t bytes) const {
  std::vector<const Allocation*> live;
  for (const Allocation& allocation : allocations_) {
    if (allocation.bytes > 0 && (!allocation.freed || allocation.is_reserved))
      live.push_back(&allocation);
  }
  std::sort(live.begin(), live.end(),
            [](const Allocation* a, const Allocation* b) { return a->begin < b->begin; });
  std::uintptr_t candidate = begin_ + kPageBytes;
  for (const Allocation* allocation : live) {
    if (allocation->begin / kPageBytes * kPageBytes >= candidate + bytes) return candidate;
    candidate = round_up(allocation->end(), kPageBytes) + kPageBytes;
  }
  return candidate + bytes <= begin_ + kReservedBytes ? candidate : 0;
}

void* DeviceMemory::allocate_in_heap(std::size_t bytes) {
  std::size_t& used = used_in_heap_[static_cast<std::size_t>(current_device())];
  if (used > heap_limit_ || bytes > heap_limit_ - used) return nullptr;
  void* const pointer = allocate(bytes, MemoryKind::device);
  if (!pointer) return nullptr;
  const std::lock_guard<std::mutex> lock(mutex_);
  allocations_[number_on_page_of(reinterpret_cast<std::uintptr_t>(pointer))].in_heap = true;
  used += bytes;
  return pointer;
}

DeviceMemory::Freed DeviceMemory::free(void* pointer, bool from_heap) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (!contains(address)) return Freed::not_an_allocation;
  Allocation& allocation = allocations_[page_owner_[(address - begin_) / kPageBytes]];
  if (allocation.bytes == 0 || allocation.begin != address || allocation.in_heap != from_heap)
    return Freed::not_an_allocation;
  if (allocation.freed) return Freed::already_freed;
  allocation.freed = true;
  used_bytes_[static_cast<std::size_t>(allocation.device)] -= allocation.bytes;
  const std::uintptr_t pages = address / kPageBytes * kPageBytes;
  const std::size_t page_bytes = round_up(allocation.end(), kPageBytes) - pages;
  madvise(reinterpret_cast<void*>(pages), page_bytes, MADV_DONTNEED);
  mprotect(reinterpret_cast<void*>(pages), page_bytes, PROT_NONE);
  if (from_heap) {
    // The tracer has not yet checked all accesses of the running kernel to this memory.
    used_in_heap_[static_cast<std::size_t>(allocation.device)] -= allocation.bytes;
    return Freed::yes;
  }
  if (Tracer* const tracer = program_tracer())
    tracer->device_memory_freed(allocation.begin, allocation.bytes);
  MemoryPools::get().freed(pointer);
  return Freed::yes;
}

void* DeviceMemory::reserve_for_graph(std::size_t bytes) {
  void* const pointer = allocate(bytes, MemoryKind::device);
  if (!pointer) return nullptr;
  free(pointer);
  const std::lock_guard<std::mutex> lock(mutex_);
  allocations_[number_on_page_of(reinterpret_cast<std::uintptr_t>(pointer))].is_reserved = true;
  return pointer;
}

bool DeviceMemory::allocate_reserved(void* pointer) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  Allocation& allocation = allocations_[number_on_page_of(address)];
  std::size_t& used_bytes = used_bytes_[static_cast<std::size_t>(allocation.device)];
  if (!allocation.freed || allocation.bytes > total_bytes() - used_bytes) return false;
  const std::uintptr_t pages = address / kPageBytes * kPageBytes;
  const std::size_t page_bytes = round_up(allocation.end(), kPageBytes) - pages;
  if (mprotect(reinterpret_cast<void*>(pages), page_bytes, PROT_READ | PROT_WRITE) != 0)
    return false;
  allocation.freed = false;
  used_bytes += allocation.bytes;
  return true;
}

void DeviceMemory::free_all(int device) {
  for (std::size_t i = 1; i < allocations_.size(); ++i) {
    const Allocation& allocation = allocations_[i];
    if (!allocation.freed && allocation.device == device)
      free(reinterpret_cast<void*>(allocation.begin), allocation.in_heap);
  }
}

const Allocation* DeviceMemory::nearest(std::uintptr_t address) const {
  const Allocation* best = nullptr;
  std::uintptr_t best_distance = ~std::uintptr_t{0};
  for (std::size_t i = 1; i < allocations_.size(); ++i) {
    const Allocation& allocation = allocations_[i];
    const std::uintptr_t distance = allocation.distance(address);
    if (distance < best_distance) {
      best = &allocation;
      best_distance = distance;
    }
  }
  return best;
}

std::vector<Allocation> DeviceMemory::live() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<Allocation> found;
  std::copy_if(allocations_.begin() + 1, allocations_.end(), std::back_inserter(found),
               [](const Allocation& allocation) { return !allocation.freed; });
  return found;
}

std::size_t DeviceMemory::free_bytes(int device) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return total_bytes() - used_bytes_[static_cast<std::size_t>(device)];
}

std::vector<MemorySpan> live_allocations() {
  std::vector<MemorySpan> spans;
  for (const Allocation& allocation : DeviceMemory::get().live()) {
    spans.push_back({reinterpret_cast<void*>(allocation.begin), allocation.bytes});
  }
  return spans;
}

}  // namespace cuda_simulator
