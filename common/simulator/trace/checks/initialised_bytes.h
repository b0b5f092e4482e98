#pragma once

#include "execution/shared_memory.h"
#include "trace/checks/shadow_memory.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace cuda_simulator {

// Records the written bytes of a memory range: one shadow bit per byte, 1 if it is written.
// A load of 4 bytes or more is reported only if one of its words has no written byte: a structure
// may have unused bytes that are copied with it, and a vector load may extend past the end of the
// data.
class InitialisedBytes {
 public:
  explicit InitialisedBytes(std::size_t bytes) : shadow_(bytes / 16 + 1) {}

  // `offset` must be a multiple of `bytes`, a power of 2 up to 16.
  void write(std::size_t offset, unsigned bytes) {
    std::uint16_t& group = shadow_[offset / 16];
    group = static_cast<std::uint16_t>(group | mask(offset, bytes));
  }
  bool can_read(std::size_t offset, unsigned bytes) {
    const unsigned wanted = mask(offset, bytes), found = shadow_[offset / 16] & wanted;
    return __builtin_expect(found == wanted, 1) ||
           (bytes >= 4 && (words_of(found) & wanted) == wanted);
  }
  void write_range(std::size_t offset, std::size_t bytes);
  static bool expects_copy(std::size_t) { return false; }
  // Returns whether every byte is written. It may return false for a range that is fully written.
  bool has_whole_range(std::size_t offset, std::size_t bytes) const {
    unsigned all = 0xffff;
    for (std::size_t group = offset / 16; group <= (offset + bytes - 1) / 16; ++group) {
      all &= shadow_[group];
    }
    return all == 0xffff;
  }
  void forget(std::size_t offset, std::size_t bytes);
  // Copies the state of the bytes of `from` to `to`; the ranges may overlap.
  void copy_range(std::size_t to, std::size_t from, std::size_t bytes);

  struct ByteRange {
    std::size_t offset, bytes;
  };
  // An unwritten part of a range whose element size is unknown. Words with some written bytes may
  // belong to structures with unused bytes: they count only if they are not at regular distances.
  std::optional<ByteRange> uninitialised_range(std::size_t offset, std::size_t bytes) const;

 private:
  // The bits of the 16 bytes from any offset.
  unsigned bits_from(std::size_t offset) const {
    const unsigned both = shadow_[offset / 16] | unsigned{shadow_[offset / 16 + 1]} << 16;
    return both >> offset % 16 & 0xffff;
  }
  static unsigned mask(std::size_t offset, unsigned bytes) {
    return ((1u << bytes) - 1) << offset % 16;
  }
  // All bytes of the words that have a byte in the mask.
  static unsigned words_of(unsigned bytes) {
    const unsigned pairs = bytes | bytes >> 1, any = (pairs | pairs >> 2) & 0x1111;
    return any * 0xf;
  }

  ShadowMemory<std::uint16_t> shadow_;
};

// The same for shared memory, which is uninitialised at the start of every block.
class InitialisedShared {
 public:
  explicit InitialisedShared(std::size_t bytes) : shadow_(bytes / 4 + 1) {}

  void begin_block() {
    if (++block_ < 1u << 28) return;
    shadow_.clear();
    block_ = 1;
  }
  void write(std::size_t offset, unsigned bytes) {
    if (bytes < 4) {
      shadow_[offset / 4] =
          block_ << 4 | written_in(offset / 4) | ((1u << bytes) - 1) << offset % 4;
      return;
    }
    for (unsigned i = 0; i < bytes / 4; ++i) shadow_[offset / 4 + i] = block_ << 4 | 0xf;
  }
  bool can_read(std::size_t offset, unsigned bytes) {
    if (bytes < 4) {
      const unsigned wanted = ((1u << bytes) - 1) << offset % 4;
      return (written_in(offset / 4) & wanted) == wanted;
    }
    bool all = true;
    for (unsigned i = 0; i < bytes / 4; ++i) all &= written_in(offset / 4 + i) != 0;
    return all;
  }
  // An asynchronous copy has begun: the old values can no longer be used, and the new ones have not
  // arrived.
  void expect_copy(std::size_t offset, unsigned bytes) {
    for (unsigned i = 0; i < bytes / 4; ++i) shadow_[offset / 4 + i] = block_ << 4;
  }
  bool expects_copy(std::size_t offset) { return shadow_[offset / 4] == block_ << 4; }

  // The state of a block's shared memory, word by word, while other blocks run.
  using Contents = std::vector<std::uint8_t>;
  Contents contents(const std::vector<SharedRange>& ranges) const;
  void restore(const std::vector<SharedRange>& ranges, const Contents& contents);

 private:
  unsigned written_in(std::size_t word) const {
    return shadow_[word] >> 4 == block_ ? shadow_[word] & 0xf : 0;
  }

  // the last block that wrote to it, and the bytes that it wrote
  ShadowMemory<std::uint32_t> shadow_;
  std::uint32_t block_ = 0;
};

}  // namespace cuda_simulator
