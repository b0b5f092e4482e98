#include "crash_messages.h"

#include "block.h"
#include "device_memory.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <memory>

namespace cuda_simulator {
namespace {

constexpr std::size_t kHandlerStackBytes = 64 << 10;
constexpr std::uintptr_t kNullPageBytes = 1 << 16;

const char* describe(const Block& block, int signal_number, std::uintptr_t address) {
  if (signal_number == SIGFPE) return "divided an integer by zero";
  if (signal_number == SIGILL) return "executed an illegal instruction";
  if (block.stacks().is_guard(address)) {
    return "needs more than 64 KB of stack: deep recursion, or a large array in a kernel";
  }
  if (address < kNullPageBytes) return "followed a null pointer, or a misaligned one";
  const DeviceMemory& memory = DeviceMemory::get();
  if (!memory.contains(address)) return "touched memory that is not the device's";
  const Allocation& allocation = memory.on_page_of(address);
  if (allocation.freed) return "touched device memory that was already freed";
  return "touched device memory outside every allocation";
}

void on_crash(int signal_number, siginfo_t* info, void*) {
  Block* const block = current_block;
  if (!block || !block->in_kernel()) {
    signal(signal_number, SIG_DFL);  // not ours: let it happen again, for the debugger
    return;
  }
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const uint3 thread = block->grid().thread_index(block->thread());
  const uint3 index = block->grid().block_index(block->index());
  char message[512];
  const int length = std::snprintf(
      message, sizeof message,
      "CUDA simulator: %s, thread (%u,%u,%u) of block (%u,%u,%u), %s.\n"
      "To see the line: ./workbook inspect %s\n",
      block->grid().kernel_name, thread.x, thread.y, thread.z, index.x, index.y, index.z,
      describe(*block, signal_number, address), program_invocation_short_name);
  const auto written = write(STDERR_FILENO, message, static_cast<std::size_t>(length));
  static_cast<void>(written);
  _exit(1);
}

// A handler needs a stack of its own: a fiber's may be what ran out.
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
  return true;
}

}  // namespace

void watch_for_crashes_on_this_thread() {
  static const bool installed = install_handlers();
  static_cast<void>(installed);
  static thread_local HandlerStack stack;
  static_cast<void>(stack);
}

}  // namespace cuda_simulator
