#pragma once

#include "simulator/atomics.h"
#include "simulator/keywords.h"

#include <cstddef>
#include <cstdint>

namespace cuda_simulator {

enum class MemorySpace : std::uint8_t { global, shared, constant };

inline const char* name_of(MemorySpace space) {
  switch (space) {
    case MemorySpace::global:
      return "global";
    case MemorySpace::shared:
      return "shared";
    case MemorySpace::constant:
      return "constant";
  }
  return "";
}

inline const char* name_of(AccessKind kind) {
  switch (kind) {
    case AccessKind::load:
      return "load";
    case AccessKind::store:
      return "store";
    case AccessKind::atomic:
    case AccessKind::atomic_exchange:
    case AccessKind::atomic_compare_and_swap:
      return "atomic";
  }
  return "";
}

inline bool is_atomic(AccessKind kind) {
  return kind != AccessKind::load && kind != AccessKind::store;
}

// What an access is, apart from its address, in one word that is quick to compare: the code's
// address, the bytes a lane moves, load or store or atomic, and the memory.
class AccessKey {
 public:
  AccessKey() = default;
  AccessKey(std::uintptr_t code, std::size_t bytes, AccessKind kind, MemorySpace space)
      : bits_(code << 16 | bytes << 8 | static_cast<unsigned>(kind) << 4 |
              static_cast<unsigned>(space)) {}

  static AccessKey from_bits(std::uint64_t bits) {
    AccessKey key;
    key.bits_ = bits;
    return key;
  }

  std::uintptr_t code() const { return bits_ >> 16; }
  unsigned bytes() const { return bits_ >> 8 & 0xff; }
  AccessKind kind() const { return static_cast<AccessKind>(bits_ >> 4 & 0xf); }
  MemorySpace space() const { return static_cast<MemorySpace>(bits_ & 0xf); }
  std::uint64_t bits() const { return bits_; }
  bool operator==(AccessKey other) const { return bits_ == other.bits_; }
  bool operator!=(AccessKey other) const { return bits_ != other.bits_; }

 private:
  std::uint64_t bits_ = 0;
};

// The lanes of a warp that make one access together. addresses[lane] counts where lanes has its
// bit.
struct WarpRequest {
  AccessKey key;
  std::uint32_t lanes;
  const std::uintptr_t* addresses;
  bool approximate;  // the lanes' paths differ, and which of their repeats meet cannot be known
};

}  // namespace cuda_simulator
