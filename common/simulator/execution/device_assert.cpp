// assert() in a kernel. The C library's macro calls this function when the assertion is false; the
// program's own definition goes before the C library's.

#include "execution/block.h"
#include "execution/kernel_failure.h"
#include "trace/tracer.h"

#include "simulator/findings.h"

#include <errno.h>

#include <cstdio>
#include <cstdlib>
#include <string>

using cuda_simulator::current_block;

namespace {

// The message that a GPU's driver prints.
void print_as_a_gpu(const char* assertion, const char* file, unsigned line, const char* function) {
  const uint3 block = current_block->grid().block_index(current_block->index());
  const uint3 thread = current_block->grid().thread_index(current_block->thread());
  std::fflush(stdout);
  std::fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
               file, line, function, block.x, block.y, block.z, thread.x, thread.y, thread.z,
               assertion);
}

}  // namespace

extern "C" [[noreturn]] void __assert_fail(const char* assertion, const char* file, unsigned line,
                                           const char* function) noexcept {
  if (current_block && current_block->in_kernel()) {
    cuda_simulator::stop_tracing_this_thread();
    print_as_a_gpu(assertion, file, line, function);
    cuda_simulator::Tracer* const tracer = cuda_simulator::program_tracer();
    if (tracer) {
      tracer->kernel_failed(
          {cuda_simulator::finding_kind::kAssert, std::string("failed assert(") + assertion + ")",
           "assert", cudaErrorAssert},
          __builtin_return_address(0));
    }
    current_block->abandon_grid(cudaErrorAssert);
  }
  // In host code: the behaviour of the C library.
  std::fflush(stdout);
  std::fprintf(stderr, "%s: %s:%u: %s: Assertion `%s' failed.\n", program_invocation_short_name,
               file, line, function, assertion);
  std::abort();
}
