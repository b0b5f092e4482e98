#pragma once

#include "execution/block.h"
#include "trace/counts/named_array.h"

#include <array>
#include <cstdint>

namespace cuda_simulator {

// One warp request that was seen, for a picture of it.
struct RequestExample {
  std::uint64_t block;  // its number in the grid
  int warp;
  std::uint32_t lanes;
  bool approximate;         // as in WarpRequest
  int sectors, wavefronts;  // the one is 0 for shared memory, the other for all else
  NamedArray array;         // of the first active lane
  // From the array's first byte, for each active lane. A lane in another array counts from this
  // one too.
  std::array<std::int64_t, kWarpSize> offset_bytes;

  // How far behind a border of 128 bytes the array begins: with it, offsets give sectors and lines.
  // Banks are counted from a shared array's own first word, as its place is the compiler's affair.
  unsigned begin_in_line() const {
    return array.begin % (array.space == MemorySpace::shared ? 4 : 128);
  }
};

}  // namespace cuda_simulator
