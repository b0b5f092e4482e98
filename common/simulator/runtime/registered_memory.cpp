#include "runtime/registered_memory.h"

#include "runtime/device_memory.h"
#include "runtime/error_state.h"
#include "runtime/stream_order.h"

#include "simulator/runtime_api.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <mutex>

namespace cuda_simulator {
namespace {

constexpr std::uintptr_t kPage = 4096;
// The stack below the current function: it changes while its pages are replaced.
constexpr std::uintptr_t kBusyStackBytes = 1 << 16;

// Registered host memory has a second address in the devices' memory, where kernels access it. To
// give its pages two addresses, they are replaced by pages of a file in memory, which remain there
// after cudaHostUnregister().
class RegisteredMemory {
 public:
  static RegisteredMemory& get() {
    static RegisteredMemory& registered = *new RegisteredMemory;  // never destroyed, as the pages
    return registered;
  }

  cudaError_t add(void* pointer, std::size_t bytes);
  cudaError_t remove(void* pointer);
  void* device_pointer_of(const void* pointer) const;

 private:
  struct Range {
    std::size_t bytes;
    std::uintptr_t device;
    std::uintptr_t first_page() const { return device / kPage * kPage; }
    std::size_t page_bytes() const {
      return (device + bytes + kPage - 1) / kPage * kPage - first_page();
    }
  };
  // A page of the host: its place in the file, and the number of ranges on it.
  struct Page {
    off_t offset = -1;
    int ranges = 0;
  };

  bool move_to_file(std::uintptr_t first, std::uintptr_t end);
  bool map(std::uintptr_t address, std::size_t bytes, off_t offset) const {
    return mmap(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_FIXED, file_, offset) != MAP_FAILED;
  }

  int file_ = -1;  // opened when the first memory is registered
  off_t file_bytes_ = 0;
  std::map<std::uintptr_t, Range> ranges_;  // by the host's address
  std::map<std::uintptr_t, Page> pages_;
  mutable std::mutex mutex_;
};

// Moves host pages, none of which belongs to a range.
bool RegisteredMemory::move_to_file(std::uintptr_t first, std::uintptr_t end) {
  if (file_ < 0) file_ = memfd_create("cuda_simulator_registered", MFD_CLOEXEC);
  const off_t offset = file_bytes_;
  const std::size_t bytes = end - first;
  if (ftruncate(file_, offset + static_cast<off_t>(bytes)) != 0) return false;
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t written = pwrite(file_, reinterpret_cast<const void*>(first + done), bytes - done,
                                   offset + static_cast<off_t>(done));
    if (written <= 0) return false;  // not all of the memory is there
    done += static_cast<std::size_t>(written);
  }
  if (!map(first, bytes, offset)) return false;
  file_bytes_ += static_cast<off_t>(bytes);
  for (std::uintptr_t page = first; page < end; page += kPage) {
    Page& known = pages_[page];
    if (known.offset >= 0)
      fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, known.offset, kPage);
    known.offset = offset + static_cast<off_t>(page - first);
  }
  return true;
}

cudaError_t RegisteredMemory::add(void* pointer, std::size_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto begin = reinterpret_cast<std::uintptr_t>(pointer);
  const std::uintptr_t first = begin / kPage * kPage;
  const std::uintptr_t end = (begin + bytes + kPage - 1) / kPage * kPage;
  const auto next = ranges_.upper_bound(begin + bytes - 1);
  if (next != ranges_.begin() && std::prev(next)->first + std::prev(next)->second.bytes > begin)
    return cudaErrorHostMemoryAlreadyRegistered;
  const auto stack = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (first < stack + kPage && end > stack - kBusyStackBytes) {
    std::fprintf(stderr,
                 "CUDA simulator: cudaHostRegister cannot register a local array so near to the "
                 "end of the stack. Allocate the array with new or malloc.\n");
    return cudaErrorNotSupported;
  }
  void* const alias = DeviceMemory::get().allocate(bytes, MemoryKind::pinned_host, begin - first);
  if (!alias) return cudaErrorMemoryAllocation;
  const Range range{bytes, reinterpret_cast<std::uintptr_t>(alias)};
  for (std::uintptr_t page = first; page < end;) {
    // Neighbours that are not in the file move together.
    std::uintptr_t after = page;
    while (after < end && pages_[after].ranges == 0) after += kPage;
    if (after > page ? !move_to_file(page, after) : (after += kPage, false)) {
      DeviceMemory::get().free(alias);
      return cudaErrorInvalidValue;
    }
    if (!map(range.first_page() + (page - first), after - page, pages_[page].offset))
      return cudaErrorMemoryAllocation;
    page = after;
  }
  for (std::uintptr_t page = first; page < end; page += kPage) ++pages_[page].ranges;
  ranges_[begin] = range;
  return cudaSuccess;
}

cudaError_t RegisteredMemory::remove(void* pointer) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto begin = reinterpret_cast<std::uintptr_t>(pointer);
  const auto found = ranges_.find(begin);
  if (found == ranges_.end()) return cudaErrorHostMemoryNotRegistered;
  const Range range = found->second;
  DeviceMemory::get().free(reinterpret_cast<void*>(range.device));
  // Later memory at this address has pages of its own.
  mmap(reinterpret_cast<void*>(range.first_page()), range.page_bytes(), PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  for (std::uintptr_t page = begin / kPage * kPage; page < begin + range.bytes; page += kPage)
    --pages_[page].ranges;
  ranges_.erase(found);
  return cudaSuccess;
}

void* RegisteredMemory::device_pointer_of(const void* pointer) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const auto next = ranges_.upper_bound(address);
  if (next == ranges_.begin()) return nullptr;
  const auto& [begin, range] = *std::prev(next);
  return address - begin < range.bytes ? reinterpret_cast<void*>(range.device + (address - begin))
                                       : nullptr;
}

}  // namespace

void* device_pointer_of_registered(const void* host_pointer) {
  return RegisteredMemory::get().device_pointer_of(host_pointer);
}

}  // namespace cuda_simulator

using cuda_simulator::DeviceMemory;
using cuda_simulator::RegisteredMemory;
using cuda_simulator::report;

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  const cuda_simulator::RuntimeCall one_at_a_time;
  constexpr unsigned kKnown = cudaHostRegisterPortable | cudaHostRegisterMapped;
  if (!pointer || bytes == 0) return report(cudaErrorInvalidValue);
  if ((flags & ~kKnown) != 0) return report(cudaErrorNotSupported);  // of I/O, or read-only memory
  if (DeviceMemory::get().contains(reinterpret_cast<std::uintptr_t>(pointer)))
    return report(cudaErrorHostMemoryAlreadyRegistered);
  return report(RegisteredMemory::get().add(pointer, bytes));
}

cudaError_t cudaHostUnregister(void* pointer) {
  const cuda_simulator::RuntimeCall one_at_a_time;
  if (!pointer) return report(cudaErrorInvalidValue);
  if (auto* const order = cuda_simulator::stream_order())
    order->host_waits_for_device(cuda_simulator::current_device());
  return report(RegisteredMemory::get().remove(pointer));
}
