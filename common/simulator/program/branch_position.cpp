#include "program/branch_position.h"

#include "program/executable.h"
#include "program/machine_code.h"

#include <algorithm>
#include <limits>

namespace cuda_simulator {
namespace {

#if defined(__x86_64__)
// A block begins with what translate/inline_steps.py puts there, or with a call alone: so many bytes
// up to the address behind the call.
#if defined(WORKBOOK_STEPS_ARE_CALLS)
constexpr std::uintptr_t kBlockEntryBytes = 5;
#else
constexpr std::uintptr_t kBlockEntryBytes = 23;
#endif

// Whether a conditional jump stands at an address: 7x and one byte of distance, or 0f 8x and four.
// As instructions have many lengths, it must also lead to where the code of a position begins.
bool is_conditional_jump(std::uintptr_t address, const LineTable& lines) {
  const auto first = read_code<std::uint8_t>(address),
             second = read_code<std::uint8_t>(address + 1);
  std::uintptr_t target;
  if ((first & 0xf0) == 0x70) {
    target = address + 2 + static_cast<std::uintptr_t>(read_code<std::int8_t>(address + 1));
  } else if (first == 0x0f && (second & 0xf0) == 0x80) {
    target = address + 6 + static_cast<std::uintptr_t>(read_code<std::int32_t>(address + 2));
  } else {
    return false;
  }
  return lines.next_row(target - 1) == target;
}
#else
constexpr std::uintptr_t kBlockEntryBytes = 4;

// b.cond, cbz and cbnz, tbz and tbnz.
bool is_conditional_jump(std::uintptr_t address, const LineTable&) {
  const auto code = read_code<std::uint32_t>(address);
  return (code & 0xff000010) == 0x54000000 || (code & 0x7e000000) == 0x34000000 ||
         (code & 0x7e000000) == 0x36000000;
}
#endif

}  // namespace

// That of the block's last conditional jump. Behind it, values may be set that the ways bring
// along.
SourcePosition branch_position(std::uintptr_t block, std::uintptr_t next) {
  const LineTable& lines = LineTable::get();
  if (next == std::numeric_limits<std::uintptr_t>::max()) return lines.find(block - 1);
  const std::uintptr_t end = next - kBlockEntryBytes;
  // A block that a called function ends has its beginning there, and other functions lie between.
  const Symbol* const function = Executable::get().function_at(end - 1);
  const std::uintptr_t begin = function ? std::max(block, function->begin) : block;
  for (std::uintptr_t address = end - kInstructionStep; address >= begin;
       address -= kInstructionStep) {
    if (is_conditional_jump(address, lines)) return lines.find(address);
  }
  return lines.find(end - 1);
}

}  // namespace cuda_simulator
