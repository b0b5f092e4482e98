#include "program/launched_kernel.h"

#include "program/machine_code.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace cuda_simulator {
namespace {

constexpr std::size_t kMostFunctions = 16;  // there are two between a thread's entry and its kernel

#if defined(__x86_64__)
constexpr std::uintptr_t kInstructionBytes = 5;

// The target of a call or a jump with a 4-byte distance; 0 if there is none.
std::uintptr_t target_at(std::uintptr_t address) {
  const auto code = read_code<std::uint8_t>(address);
  if (code != 0xe8 && code != 0xe9) return 0;
  return address + kInstructionBytes +
         static_cast<std::uintptr_t>(std::intptr_t{read_code<std::int32_t>(address + 1)});
}
#else
constexpr std::uintptr_t kInstructionBytes = 4;

// The target of bl or b, with a 26-bit distance in instructions.
std::uintptr_t target_at(std::uintptr_t address) {
  const auto code = read_code<std::uint32_t>(address);
  if ((code & 0x7c000000) != 0x14000000) return 0;
  const std::int32_t distance = static_cast<std::int32_t>(code << 6) >> 6;
  return address + static_cast<std::uintptr_t>(std::intptr_t{distance} * 4);
}
#endif

}  // namespace

const Symbol* launched_kernel(void (*thread_body)(void*), const std::string& launched_name) {
  const Executable& program = Executable::get();
  const std::string wanted = base_name(launched_name);
  std::vector<const Symbol*> functions;
  const auto add = [&](std::uintptr_t address) {
    const Symbol* const function = program.function_at(address);
    const bool is_beginning = function && function->begin == address;
    if (is_beginning && std::find(functions.begin(), functions.end(), function) == functions.end())
      functions.push_back(function);
    return is_beginning ? function : nullptr;
  };
  add(reinterpret_cast<std::uintptr_t>(thread_body));
  for (std::size_t next = 0; next < functions.size() && next < kMostFunctions; ++next) {
    const std::uintptr_t begin = functions[next]->begin, end = begin + functions[next]->bytes;
    for (std::uintptr_t at = begin; at + kInstructionBytes <= end; at += kInstructionStep) {
      const std::uintptr_t target = target_at(at);
      const Symbol* const called = target != 0 ? add(target) : nullptr;
      if (called && base_name(called->name()) == wanted) return called;
    }
  }
  return nullptr;
}

}  // namespace cuda_simulator
