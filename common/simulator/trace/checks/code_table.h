#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>

namespace cuda_simulator {

// Numbers of 15 bits, as a ShadowCell has room for, for the code addresses of accesses; and what
// kind of access some of them make, for which it has none.
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
