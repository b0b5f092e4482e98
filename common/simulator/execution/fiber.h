#pragma once

#include <cstddef>
#include <cstdint>

namespace cuda_simulator {

constexpr std::size_t kCacheLineBytes = 64;

// A flow of control that can be suspended and resumed. A CUDA thread that waits is a suspended
// fiber.
struct Fiber {
  void* stack_pointer = nullptr;
};

// Saves the caller in `from` and resumes `to`; returns when something resumes `from`.
// Floating-point modes are not switched, because device code cannot change them.
extern "C" void cuda_simulator_switch_fiber(void** from_stack_pointer, void* to_stack_pointer);

inline void switch_fiber(Fiber& from, const Fiber& to) {
  cuda_simulator_switch_fiber(&from.stack_pointer, to.stack_pointer);
}

// The same, faster if both fibers wait in the same functions.
#if defined(__x86_64__)
extern "C" void cuda_simulator_switch_alike(void** from_stack_pointer, void* to_stack_pointer);
inline void switch_alike(Fiber& from, const Fiber& to) {
  cuda_simulator_switch_alike(&from.stack_pointer, to.stack_pointer);
}
#else
inline void switch_alike(Fiber& from, const Fiber& to) { switch_fiber(from, to); }
#endif

// A function that suspends a fiber and returns to a kernel: see fiber.cpp.
#if defined(__x86_64__)
#define CUDA_SIMULATOR_KERNEL_RETURN __attribute__((function_return("thunk-extern")))
#else
#define CUDA_SIMULATOR_KERNEL_RETURN
#endif

// The stacks of one block's threads: one reservation whose pages are allocated on first use, with a
// guard page under each stack.
class FiberStacks {
 public:
  // Space for `count` fibers that start in `entry`, which must not return. Without guards, an
  // overflow of one stack goes into the next. Throws std::bad_alloc.
  FiberStacks(int count, void (*entry)(), bool guarded);
  ~FiberStacks();
  FiberStacks(const FiberStacks&) = delete;
  FiberStacks& operator=(const FiberStacks&) = delete;

  // A fiber on stack `index` that will start at the entry, whatever ran there before.
  Fiber fresh(int index);
  // Where the stack begins: it grows towards smaller addresses.
  std::uintptr_t top(int index) const;

  std::uintptr_t begin() const { return begin_; }
  std::size_t bytes() const { return bytes_; }
  bool contains(std::uintptr_t address) const { return address - begin_ < bytes_; }
  // True if an access there means that a stack overflowed.
  bool is_guard(std::uintptr_t address) const;

 private:
  std::uintptr_t begin_;
  std::size_t bytes_;
  const bool has_guards_;
  int guarded_ = 0;  // stacks below this index have their guard page
  void (*entry_)();
};

}  // namespace cuda_simulator
