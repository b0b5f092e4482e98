#include "execution/crash_messages.h"

#include "execution/block.h"
#include "execution/kernel_failure.h"
#include "program/executable.h"
#include "runtime/device_memory.h"
#include "trace/tracer.h"

#include "simulator/findings.h"

#include <cxxabi.h>
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <typeinfo>
#include <utility>

namespace cuda_simulator {
namespace {

constexpr std::size_t kHandlerStackBytes = 64 << 10;

struct Crash {
  const char* kind;
  const char* what;
  const char* operation;
};

Crash describe(const Block& block, int signal_number, std::uintptr_t address) {
  if (signal_number == SIGFPE) {
    return {finding_kind::kDivisionByZero, "divided an integer by zero", "division"};
  }
  if (signal_number == SIGILL) {
    return {finding_kind::kIllegalInstruction, "executed an illegal instruction", "instruction"};
  }
  const auto bad_access = [](const char* what) {
    return Crash{finding_kind::kBadAccess, what, "access"};
  };
  if (block.stacks().is_guard(address)) {
    return {finding_kind::kStackOverflow,
            "needs more than 160 KB of stack: look for deep recursion or a large local array",
            "call"};
  }
  if (address < kNullPageBytes) return bad_access("used a null pointer, or a misaligned pointer");
  const DeviceMemory& memory = DeviceMemory::get();
  if (!memory.contains(address)) return bad_access("accessed memory that is not device memory");
  if (memory.on_page_of(address).freed) {
    return bad_access("accessed device memory that was already freed");
  }
  return bad_access("accessed device memory outside every allocation");
}

void on_crash(int signal_number, siginfo_t* info, void*) {
  Block* const block = current_block;
  if (!block || !block->in_kernel()) {
    signal(signal_number, SIG_DFL);  // not in a kernel: let it happen again, for the debugger
    return;
  }
  const Crash crash =
      describe(*block, signal_number, reinterpret_cast<std::uintptr_t>(info->si_addr));
  if (!program_tracer()) {
    print_failure(*block, crash.what);
    _exit(1);
  }
  stop_tracing_this_thread();
  // The crash was in traced code and almost never in the C library, so the C library can be used
  // here.
  signal(signal_number, SIG_DFL);
  report_kernel_failure({crash.kind, crash.what, crash.operation, cudaErrorLaunchFailure}, nullptr);
  std::exit(1);
}

std::terminate_handler previous_terminate = nullptr;

// An exception that a kernel throws finds no handler on its fiber's stack.
void on_terminate() {
  if (!current_block || !current_block->in_kernel()) previous_terminate();
  stop_tracing_this_thread();
  std::string what = "ended with std::terminate()";
  if (const std::type_info* const type = abi::__cxa_current_exception_type()) {
    what = "threw " + demangled(type->name());
    try {
      throw;
    } catch (const std::exception& exception) {
      what += std::string(" (") + exception.what() + ")";
    } catch (...) {
    }
    what += ". Device code cannot use exceptions; nvcc rejects them";
  }
  KernelFailure failure{finding_kind::kException, std::move(what), "throw", cudaErrorLaunchFailure};
  if (program_tracer()) {
    if (abi::__cxa_current_exception_type()) abi::__cxa_end_catch();
    end_kernel(std::move(failure), nullptr);
  }
  report_kernel_failure(failure, nullptr);
  _exit(1);
}

// The handler needs its own stack, because the fiber's stack may have overflowed.
class HandlerStack {
 public:
  HandlerStack() : memory_(new char[kHandlerStackBytes]) {
    stack_t stack = {};
    stack.ss_sp = memory_.get();
    stack.ss_size = kHandlerStackBytes;
    sigaltstack(&stack, nullptr);
  }
  ~HandlerStack() {
    stack_t none = {};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
  }

 private:
  std::unique_ptr<char[]> memory_;
};

bool install_handlers() {
  struct sigaction action = {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int signal_number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    sigaction(signal_number, &action, nullptr);
  }
  previous_terminate = std::set_terminate(on_terminate);
  return true;
}

}  // namespace

void print_failure(const Block& block, const char* what) {
  const uint3 thread = block.grid().thread_index(block.thread());
  const uint3 index = block.grid().block_index(block.index());
  char message[1024];
  const int length =
      std::snprintf(message, sizeof message,
                    "CUDA simulator: %s, thread (%u,%u,%u) of block (%u,%u,%u), %s.\n"
                    "To see the line: ./workbook inspect %s (and your options, if any, after --)\n",
                    block.grid().kernel_name, thread.x, thread.y, thread.z, index.x, index.y,
                    index.z, what, program_invocation_short_name);
  const std::size_t whole =
      std::min<std::size_t>(static_cast<std::size_t>(length), sizeof message - 1);
  const auto written = write(STDERR_FILENO, message, whole);
  static_cast<void>(written);
}

void watch_for_crashes_on_this_thread() {
  static const bool installed = install_handlers();
  static_cast<void>(installed);
  static thread_local HandlerStack stack;
  static_cast<void>(stack);
}

}  // namespace cuda_simulator
