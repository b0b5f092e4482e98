#include "execution/fiber.h"

#include <sys/mman.h>

#include <cstring>
#include <new>

#if defined(__x86_64__)
// Saves and restores the callee-saved registers of the System V ABI. The ends differ only in time.
// The processor predicts a ret from the last calls, here those of the other fiber: right if both
// fibers wait in the same functions, otherwise wrong, and a jump is better.
// The thunk is the return of a function with CUDA_SIMULATOR_KERNEL_RETURN to the kernel's barrier.
// The last fiber may have called another barrier, but all fibers of a phase return to one place, so
// the processor predicts a jump.
asm(R"(
.text
.macro switch_stacks
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
.endm

.globl cuda_simulator_switch_fiber
.type cuda_simulator_switch_fiber, @function
cuda_simulator_switch_fiber:
  switch_stacks
  popq %rcx
  jmp *%rcx
.size cuda_simulator_switch_fiber, .-cuda_simulator_switch_fiber

.globl cuda_simulator_switch_alike
.type cuda_simulator_switch_alike, @function
cuda_simulator_switch_alike:
  switch_stacks
  ret
.size cuda_simulator_switch_alike, .-cuda_simulator_switch_alike

.globl __x86_return_thunk
.type __x86_return_thunk, @function
__x86_return_thunk:
  popq %rcx
  jmp *%rcx
.size __x86_return_thunk, .-__x86_return_thunk
)");
#elif defined(__aarch64__)
// AAPCS64: x19-x30 and the low halves of v8-v15. The address to continue at comes after them; a
// fresh fiber has no return address.
asm(R"(
.text
.globl cuda_simulator_switch_fiber
.type cuda_simulator_switch_fiber, %function
cuda_simulator_switch_fiber:
  sub sp, sp, #176
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  str x30, [sp, #160]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  ldr x9, [sp, #160]
  add sp, sp, #176
  br x9
.size cuda_simulator_switch_fiber, .-cuda_simulator_switch_fiber
)");
#else
#error "The simulator switches fibers on x86-64 and 64-bit Arm only."
#endif

namespace cuda_simulator {
namespace {

// The lowest part of a stack is its guard. The rest is more than a GPU thread has by default:
// printf needs a few KB on a CPU, the tracer 20 KB, and a kernel's parameters (up to 32 KB) are
// copied twice. Together they are an odd number of pages; otherwise the stacks would compete for a
// few entries of the processor's TLB.
constexpr std::size_t kStackBytes = 172 << 10;
constexpr std::size_t kGuardBytes = 8 << 10;

}  // namespace

FiberStacks::FiberStacks(int count, void (*entry)(), bool guarded)
    : bytes_(count * kStackBytes), has_guards_(guarded), entry_(entry) {
  void* const memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  begin_ = reinterpret_cast<std::uintptr_t>(memory);
}

FiberStacks::~FiberStacks() { munmap(reinterpret_cast<void*>(begin_), bytes_); }

Fiber FiberStacks::fresh(int index) {
  const std::uintptr_t lowest = begin_ + index * kStackBytes;
  if (has_guards_ && index >= guarded_) {
    mprotect(reinterpret_cast<void*>(lowest), kGuardBytes, PROT_NONE);
    guarded_ = index + 1;
  }
  auto* top = reinterpret_cast<void**>(this->top(index));
#if defined(__x86_64__)
  // This word replaces a return address: at the entry, the stack is aligned as in a called
  // function.
  *--top = nullptr;
  *--top = reinterpret_cast<void*>(entry_);
  top -= 6;
  std::memset(top, 0, 6 * sizeof *top);
#else
  top -= 22;
  std::memset(top, 0, 22 * sizeof *top);
  top[20] = reinterpret_cast<void*>(entry_);
#endif
  return {top};
}

// Stack tops have different offsets in their pages; otherwise they would compete for the same cache
// sets.
std::uintptr_t FiberStacks::top(int index) const {
  const std::size_t stagger = index * 7 % 48 * kCacheLineBytes;
  return begin_ + (index + 1) * kStackBytes - stagger;
}

bool FiberStacks::is_guard(std::uintptr_t address) const {
  return has_guards_ && contains(address) && (address - begin_) % kStackBytes < kGuardBytes;
}

}  // namespace cuda_simulator
