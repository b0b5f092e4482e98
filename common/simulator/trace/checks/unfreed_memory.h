#pragma once

#include "program/line_table.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace cuda_simulator {

// Device memory, pinned and managed memory that the program has allocated and not freed. It is no
// finding, as no result is wrong for it: the program is told of it when it ends well.
class UnfreedMemory {
 public:
  // By `function`, which the innermost of the calls now under way has called.
  void allocated(std::uintptr_t address, std::size_t bytes, const char* function);
  void freed(std::uintptr_t address) { allocations_.erase(address); }

  // What one call in the learner's code has allocated and nothing has freed.
  struct Place {
    SourcePosition position;
    const char* function;
    std::size_t count, bytes;
  };
  // In the order of the allocations.
  std::vector<Place> places() const;
  // Prints these, if there are any: how many bytes, where they were allocated, what frees them.
  static void print(const std::vector<Place>& places);

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
