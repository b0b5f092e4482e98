// An exception that a kernel throws is first stored in host memory. This access is not reported as
// a host pointer, because the exception itself is reported.

#include "execution/block.h"
#include "trace/kernel_tracer.h"

#include <cstddef>
#include <cstdint>

// The linker's --wrap (CMakeLists.txt) redirects calls of the C++ library's allocation to the
// second function, which calls the original as the first. This also works with the static library.
extern "C" void* __real___cxa_allocate_exception(std::size_t bytes) noexcept;
extern "C" void* __wrap___cxa_allocate_exception(std::size_t bytes) noexcept {
  void* const memory = __real___cxa_allocate_exception(bytes);
  if (cuda_simulator::current_block && cuda_simulator::current_block->in_kernel()) {
    cuda_simulator::KernelTracer::get().exception_allocated(
        reinterpret_cast<std::uintptr_t>(memory), bytes);
  }
  return memory;
}
