#include "runtime/device_memory.h"
#include "trace/tracer.h"

#include "simulator/library_kernels.h"

#include <cstdint>
#include <cstdio>
#include <mutex>
#include <set>
#include <string>

namespace cuda_simulator {

void announce_replacement(const char* library) {
  static std::mutex mutex;
  static std::set<std::string>& announced = *new std::set<std::string>;  // never destroyed
  const std::lock_guard<std::mutex> lock(mutex);
  if (!announced.insert(library).second) return;
  std::fflush(stdout);
  std::fprintf(stderr,
               "CUDA simulator: a replacement computes the calls of %s, each with one thread. It "
               "has no counts.\n",
               library);
}

void* allocate_in_kernel(std::size_t bytes) {
  void* const memory = DeviceMemory::get().allocate(bytes, MemoryKind::device);
  // The library's own algorithm is not searched for reads of unwritten memory.
  if (Tracer* const tracer = program_tracer(); tracer && memory)
    tracer->device_memory_written(reinterpret_cast<std::uintptr_t>(memory), bytes);
  return memory;
}

void free_in_kernel(void* memory) { DeviceMemory::get().free(memory); }

}  // namespace cuda_simulator
