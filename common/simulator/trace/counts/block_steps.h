#pragma once

#include "trace/counts/named_array.h"
#include "trace/warp/access.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cuda_simulator {

// One thing that a warp of a block did, or the whole block.
struct BlockStep {
  enum class Kind : std::uint8_t { request, barrier, divergence, warp_call };

  Kind kind;
  bool approximate;  // as in WarpRequest
  bool is_regular;   // of a request: two numbers, the first lane's offset and the stride
  MemorySpace space;
  std::uint8_t operation;  // of a warp call: WarpCall::Operation
  std::uint16_t warp, array;
  std::uint32_t lanes;               // of a barrier: how many threads have met there
  std::uint32_t units, ideal_units;  // of a request: sectors, or wavefronts for shared memory
  // Of a request: its Step's bits. Else the code, as a return address.
  std::uint64_t what;
  std::size_t first_number;  // in BlockSteps::numbers; the next step's is where they end
};

// What one block did, in the order in which it was recorded: between two barriers, one warp after
// the other.
struct BlockSteps {
  enum class Reason : std::uint8_t { first, costliest, finding };

  Reason reason = Reason::first;
  std::uint64_t launch = 0;  // of the kernel with this configuration, from 1 on
  unsigned block[3] = {};
  std::vector<NamedArray> arrays;
  std::vector<BlockStep> steps;
  // Of requests offsets in bytes from the array's begin, of divergences the lanes of each way, of
  // shuffles each lane's source.
  std::vector<std::int64_t> numbers;
  std::uint64_t excess = 0;    // units beyond the ideal, of all requests
  std::uint64_t left_out = 0;  // steps beyond the most that are kept

  void clear();
};

}  // namespace cuda_simulator
