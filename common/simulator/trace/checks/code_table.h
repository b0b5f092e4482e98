#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>

namespace cuda_simulator {

// Assigns 15-bit numbers, which fit into a ShadowCell, to the code addresses of accesses. It also
// keeps the kind of some accesses, for which a ShadowCell has no space.
class CodeTable {
 public:
  unsigned number_of(std::uintptr_t code) {
    const auto wanted = static_cast<std::uint32_t>(code);  // programs are linked below 4 GB
    unsigned number = (wanted * 0x9e3779b1u >> 17) | 1;    // never 0, which means unknown
    while ((*codes_)[number] != wanted) {
      if ((*codes_)[number] == 0) return add(number, wanted);
      number = (number + 1) % kSize;
    }
    return number;
  }
  std::uintptr_t code_of(unsigned number) const { return (*codes_)[number]; }
  void mark_volatile(unsigned number) { volatile_[number] = number != 0; }
  bool is_volatile(unsigned number) const { return volatile_[number]; }
  void mark_async_copy(unsigned number) { async_copies_[number] = number != 0; }
  bool is_async_copy(unsigned number) const { return async_copies_[number]; }

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
  std::bitset<kSize> volatile_, async_copies_;
  unsigned used_ = 0;
};

}  // namespace cuda_simulator
