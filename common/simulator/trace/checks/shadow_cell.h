#pragma once

#include "trace/checks/clock.h"

#include <cstdint>

namespace cuda_simulator {

// An access to a word of 4 bytes as shadow memory holds it, in 8 bytes: its epoch, its thread, its
// code's number in a CodeTable, and which of the word's bytes. The whole block's bytes are kept
// beside the thread's own: threads of one block often share a word of smaller elements, and each
// takes the cell of the one before.
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

  // A mark for the word's owner; it belongs to the place, not to the access.
  bool marked() const { return has_mark(bits_); }
  static bool has_mark(std::uint64_t bits) { return (bits & kMark) != 0; }
  void mark() { bits_ |= kMark; }
  void replace(ShadowCell other) { bits_ = other.bits_ | (bits_ & kMark); }

  // Cells compare as their epochs do, so that epochs need not be taken out of them.
  std::uint64_t bits() const { return bits_; }
  // Less than those of all accesses at this epoch or later.
  static std::uint64_t bits_from(Epoch epoch) {
    return epoch >> Clock::kEpochBits != 0 ? ~std::uint64_t{0} : std::uint64_t{epoch} << 34;
  }
  bool is_by_thread_of(ShadowCell other) const { return ((bits_ ^ other.bits_) & kThread) == 0; }

 private:
  static constexpr std::uint64_t kMark = 1 << 18, kThread = 0x3ff << 8;
  std::uint64_t bits_ = 0;
};

}  // namespace cuda_simulator
