#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

namespace cuda_simulator {

// Device memory, pinned and managed memory that the program has allocated and not freed. It is no
// finding, as no result is wrong for it: the program is told of it when it ends well.
class UnfreedMemory {
 public:
  // By `function`, which the innermost of the calls now under way has called.
  void allocated(std::uintptr_t address, std::size_t bytes, const char* function);
  void freed(std::uintptr_t address) { allocations_.erase(address); }
  // Prints what is left, if anything: how many bytes, where they were allocated, what frees them.
  void report() const;

 private:
  static constexpr std::size_t kMostCalls = 8;

  struct Allocation {
    std::size_t bytes;
    const char* function;
    std::array<std::uintptr_t, kMostCalls> calls;  // return addresses, from the innermost on
  };
  std::map<std::uintptr_t, Allocation> allocations_;
};

}  // namespace cuda_simulator
