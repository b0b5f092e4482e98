#pragma once

#include "trace/counts/named_array.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cuda_simulator {

// The first thread that loaded each element of an array, and the first that stored it. The element
// size is that of the narrowest access. Only the elements at the array's beginning are recorded.
class ElementMap {
 public:
  struct Touch {
    std::uint64_t block;
    std::uint16_t thread;
    bool known;    // false: no thread touched it
    bool several;  // other threads touched it too
  };
  static constexpr std::size_t kFollowedElements = std::size_t{1} << 20;

  ElementMap(NamedArray array, unsigned element_bytes);

  // Adds `bytes` bytes at `offset`; an atomic function counts as a store.
  void add(AccessKind kind, std::size_t offset, unsigned bytes, std::uint64_t block, int thread);

  // Derives the row length from the first bytes of the lanes of a full warp, in any order.
  void learn_row(std::vector<std::size_t> offsets, unsigned bytes);
  // The bytes from one row of a matrix to the next, or 0. The bytes that the threads of the first
  // block (or the lanes of one warp) touch form runs. If the distance between runs is constant, at
  // least 8 elements, and a divisor of the array's size, it counts as a row.
  std::size_t row_bytes() const;

  const NamedArray& array() const { return array_; }
  unsigned element_bytes() const { return element_bytes_; }
  // One entry for each recorded element; empty if there was no such access.
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
