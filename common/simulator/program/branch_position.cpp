#include "program/branch_position.h"

#include "program/executable.h"
#include "program/machine_code.h"

#include <algorithm>
#include <limits>

namespace cuda_simulator {
namespace {

#if defined(__x86_64__)
// A basic block begins with the code of translate/inline_steps.py, or with a call only. This is its
// length in bytes, up to the address after the call.
#if defined(WORKBOOK_STEPS_ARE_CALLS)
constexpr std::uintptr_t kBlockEntryBytes = 5;
#else
constexpr std::uintptr_t kBlockEntryBytes = 23;
#endif

// Returns whether there is a conditional jump at an address: 7x and one byte of distance, or 0f 8x
// and four bytes. Instructions have different lengths, so the jump must also lead to the beginning
// of a row in the line table.
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

// Returns the position of the block's last conditional jump. After it there may be code that sets
// values for both branches.
SourcePosition branch_position(std::uintptr_t block, std::uintptr_t next) {
  const LineTable& lines = LineTable::get();
  if (next == std::numeric_limits<std::uintptr_t>::max()) return lines.find(block - 1);
  const std::uintptr_t end = next - kBlockEntryBytes;
  // A block that ends with a function call begins there, with other functions in between.
  const Symbol* const function = Executable::get().function_at(end - 1);
  const std::uintptr_t begin = function ? std::max(block, function->begin) : block;
  for (std::uintptr_t address = end - kInstructionStep; address >= begin;
       address -= kInstructionStep) {
    if (is_conditional_jump(address, lines)) return lines.find(address);
  }
  return lines.find(end - 1);
}

}  // namespace cuda_simulator
