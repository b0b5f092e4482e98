#pragma once

#include <cstdint>
#include <cstring>

namespace cuda_simulator {

// The smallest distance between the beginnings of two instructions.
#if defined(__x86_64__)
constexpr std::uintptr_t kInstructionStep = 1;
#else
constexpr std::uintptr_t kInstructionStep = 4;
#endif

// Reads a value at an address of the program's code, with any alignment.
template <typename T>
T read_code(std::uintptr_t address) {
  T value;
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
  return value;
}

}  // namespace cuda_simulator
