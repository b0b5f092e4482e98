// An exception that a kernel throws is first stored, in memory that is the host's. That is no host
// pointer of the learner's: the exception itself is what has to be reported.

#include "block.h"
#include "trace/kernel_tracer.h"

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>

extern "C" void* __cxa_allocate_exception(std::size_t bytes) noexcept {
  using Allocate = void* (*)(std::size_t);
  static const auto next = reinterpret_cast<Allocate>(dlsym(RTLD_NEXT, "__cxa_allocate_exception"));
  void* const memory = next(bytes);
  if (cuda_simulator::current_block && cuda_simulator::current_block->in_kernel()) {
    cuda_simulator::KernelTracer::get().exception_allocated(
        reinterpret_cast<std::uintptr_t>(memory), bytes);
  }
  return memory;
}
