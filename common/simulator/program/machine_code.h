#pragma once

#include <cstdint>
#include <cstring>

namespace cuda_simulator {

// How far apart the beginnings of two instructions are at least.
#if defined(__x86_64__)
constexpr std::uintptr_t kInstructionStep = 1;
#else
constexpr std::uintptr_t kInstructionStep = 4;
#endif

// What stands at an address of the program's code, however it is aligned.
template <typename T>
T read_code(std::uintptr_t address) {
  T value;
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
  return value;
}

}  // namespace cuda_simulator
