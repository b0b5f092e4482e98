#include "program/launched_kernel.h"

#include "program/machine_code.h"

#include <algorithm>
#include <cstdint>
#include <set>
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

// The functions that begin at the targets of a function's calls.
void add_called_functions(const Symbol& function, std::vector<const Symbol*>& called) {
  const std::uintptr_t end = function.begin + function.bytes;
  for (std::uintptr_t at = function.begin; at + kInstructionBytes <= end; at += kInstructionStep) {
    const std::uintptr_t target = target_at(at);
    const Symbol* const found = target != 0 ? Executable::get().function_at(target) : nullptr;
    if (found && found->begin == target) called.push_back(found);
  }
}

}  // namespace

const Symbol* launched_kernel(void (*thread_body)(void*), const std::string& launched_name) {
  const Executable& program = Executable::get();
  const std::string wanted = base_name(launched_name);
  const Symbol* const first = program.function_at(reinterpret_cast<std::uintptr_t>(thread_body));
  if (!first) return nullptr;
  std::vector<const Symbol*> functions{first};
  for (std::size_t next = 0; next < functions.size() && next < kMostFunctions; ++next) {
    std::vector<const Symbol*> called;
    add_called_functions(*functions[next], called);
    for (const Symbol* const function : called) {
      if (base_name(function->name()) == wanted) return function;
      if (std::find(functions.begin(), functions.end(), function) == functions.end())
        functions.push_back(function);
    }
  }
  return nullptr;
}

std::size_t static_shared_bytes(const Symbol& kernel) {
  std::vector<const Symbol*> waiting{&kernel};
  std::set<const Symbol*> functions;
  std::size_t bytes = 0;
  while (!waiting.empty()) {
    const Symbol& function = *waiting.back();
    waiting.pop_back();
    if (function.is_simulators_own() || !functions.insert(&function).second) continue;
    for (const Symbol& variable : Executable::get().shared()) {
      if (Executable::declares(function, variable)) bytes += variable.bytes;
    }
    add_called_functions(function, waiting);
  }
  return bytes;
}

std::size_t static_shared_bytes(const std::string& launched_name, void (*thread_body)(void*)) {
  const Executable& program = Executable::get();
  const Symbol* const body = program.function_at(reinterpret_cast<std::uintptr_t>(thread_body));
  return std::max(program.static_shared_bytes(launched_name),
                  body ? static_shared_bytes(*body) : 0);
}

}  // namespace cuda_simulator
