#pragma once

#include "trace/checks/clock.h"

#include <cstdint>

namespace cuda_simulator {

// An access to a 4-byte word in shadow memory, in 8 bytes: its epoch, its thread, its code's number
// in a CodeTable, and the accessed bytes of the word. The cell holds the bytes of the thread and
// those of its whole block: threads of one block often share a word of smaller elements, and each
// of them replaces the cell of the previous one.
class ShadowCell {
 public:
  ShadowCell() = default;
  ShadowCell(Epoch epoch, unsigned code_number, int thread, unsigned own_bytes,
             unsigned block_bytes)
      : bits_(std::uint64_t{epoch} << 34 | std::uint64_t{code_number} << 19 |
              static_cast<std::uint64_t>(thread) << 8 | own_bytes << 4 | block_bytes) {}

  Epoch epoch() const { return static_cast<Epoch>(bits_ >> 34); }
  unsigned code_number() const { return bits_ >> 19 & 0x7fff; }
  int thread() const { return static_cast<int>(bits_ >> 8 & 0x3ff); }
  unsigned own_bytes() const { return bits_ >> 4 & 0xf; }
  unsigned block_bytes() const { return bits_ & 0xf; }

  // A mark that the word's owner sets; it belongs to the cell, not to the access.
  bool marked() const { return (bits_ & kMark) != 0; }
  void mark() { bits_ |= kMark; }
  void replace(ShadowCell other) { bits_ = other.bits_ | (bits_ & kMark); }

 private:
  static constexpr std::uint64_t kMark = 1 << 18;
  std::uint64_t bits_ = 0;
};

}  // namespace cuda_simulator
