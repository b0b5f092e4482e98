#include "runtime/device_memory.h"
#include "runtime/error_state.h"
#include "trace/tracer.h"

#include "simulator/library_kernels.h"
#include "simulator/say_once.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace cuda_simulator {
namespace {

// Freed by a running kernel, whose accesses are still being checked; by size. The kernel can use it
// again: a merge sort allocates for each merge, and the system refuses more than 65,000 ranges.
std::mutex freed_mutex;
std::multimap<std::size_t, void*>& freed =
    *new std::multimap<std::size_t, void*>;  // never destroyed

// Few sizes, so that freed memory often fits.
std::size_t rounded_size(std::size_t bytes) {
  std::size_t size = 4096;
  while (size < bytes) size *= 2;
  return size;
}

void* allocate_or_reuse(std::size_t size) {
  const std::lock_guard<std::mutex> lock(freed_mutex);
  const auto found = freed.find(size);
  if (found == freed.end()) return DeviceMemory::get().allocate(size, MemoryKind::device);
  void* const memory = found->second;
  freed.erase(found);
  return memory;
}

}  // namespace

void announce_replacement(const char* library) {
  const std::string name = library;
  say_once(
      "a replacement computes the calls of " + name + ", each with one thread. It has no counts.",
      name);
}

void* allocate_in_kernel(std::size_t bytes) {
  const std::size_t size = rounded_size(bytes);
  void* const memory = allocate_or_reuse(size);
  // The library's own algorithm is not searched for reads of unwritten memory.
  if (Tracer* const tracer = program_tracer(); tracer && memory)
    tracer->device_memory_written(reinterpret_cast<std::uintptr_t>(memory), size);
  return memory;
}

void free_in_kernel(void* memory) {
  const std::lock_guard<std::mutex> lock(freed_mutex);
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  freed.emplace(DeviceMemory::get().on_page_of(address).bytes, memory);
}

void release_kernel_memory() {
  const RuntimeCall no_kernel_runs;
  const std::lock_guard<std::mutex> lock(freed_mutex);
  for (const auto& [size, memory] : freed) DeviceMemory::get().free(memory);
  freed.clear();
}

}  // namespace cuda_simulator
