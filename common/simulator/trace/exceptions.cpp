// An exception that a kernel throws is first stored, in memory that is the host's. That is no host
// pointer of the learner's: the exception itself is what has to be reported.

#include "execution/block.h"
#include "trace/kernel_tracer.h"

#include <cstddef>
#include <cstdint>

// The linker's --wrap (CMakeLists.txt) calls the second one where a program calls the allocation of
// the C++ library, and that one the first. So it works with the library's static form too.
extern "C" void* __real___cxa_allocate_exception(std::size_t bytes) noexcept;
extern "C" void* __wrap___cxa_allocate_exception(std::size_t bytes) noexcept {
  void* const memory = __real___cxa_allocate_exception(bytes);
  if (cuda_simulator::current_block && cuda_simulator::current_block->in_kernel()) {
    cuda_simulator::KernelTracer::get().exception_allocated(
        reinterpret_cast<std::uintptr_t>(memory), bytes);
  }
  return memory;
}
