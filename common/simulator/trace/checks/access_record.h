#pragma once

#include "trace/checks/execution_order.h"

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>

namespace cuda_simulator {

// A remembered access to a word of 4 bytes, in 8 bytes: when, by which thread, at which code, and
// to which of the word's bytes. The whole block's bytes are kept beside the thread's own: threads
// of one block often share a word of smaller elements, and each forgets the one before.
class AccessRecord {
 public:
  AccessRecord() = default;
  AccessRecord(std::uint32_t time, unsigned code_number, int thread, unsigned own_bytes,
               unsigned block_bytes)
      : bits_(std::uint64_t{time} << 34 | std::uint64_t{code_number} << 19 |
              static_cast<std::uint64_t>(thread) << 8 | own_bytes << 4 | block_bytes) {}

  std::uint32_t time() const { return static_cast<std::uint32_t>(bits_ >> 34); }
  unsigned code_number() const { return bits_ >> 19 & 0x7fff; }
  int thread() const { return static_cast<int>(bits_ >> 8 & 0x3ff); }
  unsigned own_bytes() const { return bits_ >> 4 & 0xf; }
  unsigned block_bytes() const { return bits_ & 0xf; }

  // A mark for the word's owner; it belongs to the place, not to the access.
  bool marked() const { return bits_ >> 18 & 1; }
  void mark() { bits_ |= kMark; }
  void replace(AccessRecord other) { bits_ = other.bits_ | (bits_ & kMark); }

 private:
  static constexpr std::uint64_t kMark = 1 << 18;
  std::uint64_t bits_ = 0;
};

// Numbers of 15 bits for the code addresses of accesses.
class CodeTable {
 public:
  unsigned number_of(std::uintptr_t code) {
    const auto wanted = static_cast<std::uint32_t>(code);  // programs are linked below 4 GB
    unsigned number = (wanted * 0x9e3779b1u >> 17) | 1;    // never 0, which is for the unknown
    while ((*codes_)[number] != wanted) {
      if ((*codes_)[number] == 0) return add(number, wanted);
      number = (number + 1) % kSize;
    }
    return number;
  }
  std::uintptr_t code_of(unsigned number) const { return (*codes_)[number]; }
  void mark_volatile(unsigned number) { volatile_[number] = number != 0; }
  bool is_volatile(unsigned number) const { return volatile_[number]; }
  void mark_copy(unsigned number) { copies_[number] = number != 0; }
  bool is_copy(unsigned number) const { return copies_[number]; }

 private:
  static constexpr unsigned kSize = 1 << 15;
  unsigned add(unsigned number, std::uint32_t code) {
    if (used_ == kSize / 2 || number == 0) return 0;
    ++used_;
    (*codes_)[number] = code;
    return number;
  }
  std::unique_ptr<std::array<std::uint32_t, kSize>> codes_ =
      std::make_unique<std::array<std::uint32_t, kSize>>();
  std::bitset<kSize> volatile_, copies_;  // asynchronous ones
  unsigned used_ = 0;
};

}  // namespace cuda_simulator
