#pragma once

#include "program/line_table.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace cuda_simulator {

// Device memory, pinned and managed memory that the program has allocated and not freed. This is
// not a finding, because no result is wrong: the program prints a note if it ends without errors.
class UnfreedMemory {
 public:
  // `function` allocated it; its callers on the stack include the learner's line.
  void allocated(std::uintptr_t address, std::size_t bytes, const char* function);
  void freed(std::uintptr_t address) { allocations_.erase(address); }

  // Memory that one call in the learner's code has allocated and nothing has freed.
  struct Place {
    SourcePosition position;
    const char* function;
    std::size_t count, bytes;
  };
  // In the order of allocation.
  std::vector<Place> places() const;
  // Prints the places, if there are any: the number of bytes, the line of the allocation, and the
  // function that frees it.
  static void print(const std::vector<Place>& places);

 private:
  static constexpr std::size_t kMostCalls = 8;

  struct Allocation {
    std::size_t bytes;
    const char* function;
    std::array<std::uintptr_t, kMostCalls> calls;  // return addresses, the innermost first
  };
  std::map<std::uintptr_t, Allocation> allocations_;
};

}  // namespace cuda_simulator
