#pragma once

#include "trace/counts/named_array.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cuda_simulator {

// Which thread loaded, and which stored, each element of an array first. An element is as wide as
// the narrowest access. Only the elements at the array's begin are followed.
class ElementMap {
 public:
  struct Touch {
    std::uint64_t block;
    std::uint16_t thread;
    bool known;    // false: nobody touched it
    bool several;  // other threads did too
  };
  static constexpr std::size_t kFollowedElements = std::size_t{1} << 20;

  ElementMap(NamedArray array, unsigned element_bytes);

  // `bytes` from `offset` on; an atomic function counts as a store.
  void add(AccessKind kind, std::size_t offset, unsigned bytes, std::uint64_t block, int thread);

  // Learns how long a row is from the bytes at which the lanes of a full warp begin, in any order.
  void learn_row(std::vector<std::size_t> offsets, unsigned bytes);
  // The bytes from a row of a matrix to the next, or 0. What the threads of the first block touch,
  // or else the lanes of one warp, lies in pieces: if the distance from each to the next is the
  // same, at least 8 elements, and a divisor of the array's size, it is taken for a row.
  std::size_t row_bytes() const;

  const NamedArray& array() const { return array_; }
  unsigned element_bytes() const { return element_bytes_; }
  // One entry for each followed element; empty if there was no such access.
  const std::vector<Touch>& loads() const { return loads_; }
  const std::vector<Touch>& stores() const { return stores_; }

 private:
  void split_elements(unsigned element_bytes);
  bool may_be_row(std::size_t bytes) const;

  NamedArray array_;
  unsigned element_bytes_;
  std::size_t lanes_row_bytes_ = 0;
  std::vector<Touch> loads_, stores_;
};

}  // namespace cuda_simulator
