#include "runtime/device_memory.h"
#include "runtime/error_state.h"
#include "trace/tracer.h"

#include "simulator/library_kernels.h"
#include "simulator/say_once.h"

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace cuda_simulator {
namespace {

// Freed by a running kernel, whose accesses are still being checked.
std::mutex freed_mutex;
std::vector<void*>& freed = *new std::vector<void*>;  // never destroyed

}  // namespace

void announce_replacement(const char* library) {
  const std::string name = library;
  say_once(
      "a replacement computes the calls of " + name + ", each with one thread. It has no counts.",
      name);
}

void* allocate_in_kernel(std::size_t bytes) {
  void* const memory = DeviceMemory::get().allocate(bytes, MemoryKind::device);
  // The library's own algorithm is not searched for reads of unwritten memory.
  if (Tracer* const tracer = program_tracer(); tracer && memory)
    tracer->device_memory_written(reinterpret_cast<std::uintptr_t>(memory), bytes);
  return memory;
}

void free_in_kernel(void* memory) {
  const std::lock_guard<std::mutex> lock(freed_mutex);
  freed.push_back(memory);
}

void release_kernel_memory() {
  const RuntimeCall no_kernel_runs;
  const std::lock_guard<std::mutex> lock(freed_mutex);
  for (void* const memory : freed) DeviceMemory::get().free(memory);
  freed.clear();
}

}  // namespace cuda_simulator
