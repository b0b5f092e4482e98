#include "trace/watchdog.h"

#include "program/environment.h"
#include "trace/kernel_tracer.h"

#include <signal.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdint>

namespace cuda_simulator {
namespace {

constexpr int kSilentSeconds = 2;
constexpr int kSlowSeconds = 8;
constexpr char kSlow[] =
    "\nCUDA simulator: the program has computed for 8 s. If its size was chosen for a GPU, choose a "
    "smaller one: with an argument after --, or with --define N=1000 for a constant N of the source. "
    "--unchecked runs it without checks, many times faster.\n";

bool is_own_program = false;  // read before the first signal: a handler must not allocate memory

// A learner's own program that takes long, which may be the size of its data.
void hint_at_size() {
  static int seconds = 0;
  if (!is_own_program || ++seconds != kSlowSeconds) return;
  if (write(STDERR_FILENO, kSlow, sizeof kSlow - 1) < 0) return;  // the hint can be lost
}

std::uintptr_t interrupted_code(const void* context) {
  const mcontext_t& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
#else
  return static_cast<std::uintptr_t>(machine.pc);
#endif
}

void on_timer(int, siginfo_t*, void* context) {
  hint_at_size();
  static thread_local std::uint64_t last_position = 0;
  static thread_local int silent_seconds = 0;
  const std::uint64_t position = KernelTracer::position_in_kernel();
  silent_seconds = position != 0 && position == last_position ? silent_seconds + 1 : 0;
  last_position = position;
  if (silent_seconds < kSilentSeconds) return;
  silent_seconds = 0;
  KernelTracer::get().on_watchdog(interrupted_code(context));
}

bool start_timer() {
  is_own_program = environment_switch("CUDA_SIMULATOR_OWN_PROGRAM", false);
  struct sigaction action = {};
  action.sa_sigaction = on_timer;
  // The handler does not return if it ends a kernel, so the signal must not stay blocked.
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;
  sigaction(SIGVTALRM, &action, nullptr);
  const itimerval every_second{{1, 0}, {1, 0}};
  return setitimer(ITIMER_VIRTUAL, &every_second, nullptr) == 0;
}

}  // namespace

void start_watchdog() {
  static const bool started = start_timer();
  static_cast<void>(started);
}

}  // namespace cuda_simulator
