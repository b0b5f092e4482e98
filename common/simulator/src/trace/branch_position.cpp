#include "trace/branch_position.h"

#include <cstring>
#include <limits>

namespace cuda_simulator {
namespace {

#if defined(__x86_64__)
constexpr std::uintptr_t kCallBytes = 5;

// Whether an instruction that ends at `end` may be a conditional jump: 7x with a distance of one
// byte, or 0f 8x with one of four bytes.
bool ends_with_conditional_jump(std::uintptr_t end) {
  const auto* const code = reinterpret_cast<const unsigned char*>(end);
  return (code[-2] & 0xf0) == 0x70 || (code[-6] == 0x0f && (code[-5] & 0xf0) == 0x80);
}
#else
constexpr std::uintptr_t kCallBytes = 4;

// b.cond, cbz and cbnz, tbz and tbnz.
bool ends_with_conditional_jump(std::uintptr_t end) {
  std::uint32_t code;
  std::memcpy(&code, reinterpret_cast<const void*>(end - sizeof code), sizeof code);
  return (code & 0xff000010) == 0x54000000 || (code & 0x7e000000) == 0x34000000 ||
         (code & 0x7e000000) == 0x36000000;
}
#endif

}  // namespace

// The last jump of the block, unless there is none: values that the ways bring along may be set
// behind it.
SourcePosition branch_position(std::uintptr_t block, std::uintptr_t next) {
  const LineTable& lines = LineTable::get();
  if (next == std::numeric_limits<std::uintptr_t>::max()) return lines.find(block - 1);
  const std::uintptr_t end = next - kCallBytes;
  SourcePosition found = lines.find(end - 1);
  for (std::uintptr_t row = block; row < end;) {
    const std::uintptr_t row_end = lines.next_row(row);
    if (row_end <= end && ends_with_conditional_jump(row_end)) found = lines.find(row_end - 1);
    row = row_end;
  }
  return found;
}

}  // namespace cuda_simulator
