#pragma once

#include "execution/block.h"
#include "trace/counts/named_array.h"

#include <array>
#include <cstdint>

namespace cuda_simulator {

// One recorded warp request, for a picture.
struct RequestExample {
  std::uint64_t block;  // its number in the grid
  int warp;
  std::uint32_t lanes;
  bool approximate;  // as in WarpRequest
  // one of them is 0: sectors for shared memory, wavefronts for other memory
  int sectors, wavefronts;
  NamedArray array;  // of the first active lane
  // For each active lane, from the array's first byte. A lane in another array also uses this first
  // byte.
  std::array<std::int64_t, kWarpSize> offset_bytes;

  // The distance of the array's begin from the last 128-byte boundary: with it, offsets give
  // sectors and lines. For a shared array, banks are counted from its own first word, because the
  // compiler chooses its address.
  unsigned begin_in_line() const {
    return array.begin % (array.space == MemorySpace::shared ? 4 : 128);
  }
};

}  // namespace cuda_simulator
