#pragma once

#include "trace/counts/named_array.h"
#include "trace/warp/access.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cuda_simulator {

// One step of a warp of a block, or of the whole block.
struct BlockStep {
  enum class Kind : std::uint8_t { request, barrier, divergence, warp_call };

  Kind kind;
  bool approximate;  // as in WarpRequest
  bool is_regular;   // for a request: only two numbers, the first lane's offset and the stride
  MemorySpace space;
  std::uint8_t operation;  // for a warp call: WarpCall::Operation
  std::uint16_t warp, array;
  std::uint32_t lanes;               // for a barrier: the number of threads that have met there
  std::uint32_t units, ideal_units;  // for a request: sectors, or wavefronts for shared memory
  // For a request: the bits of its Step. Otherwise the code, as a return address.
  std::uint64_t what;
  std::size_t first_number;  // in BlockSteps::numbers; they end where those of the next step begin
};

// The steps of one block, in the order in which they were recorded: between two barriers, one warp
// at a time.
struct BlockSteps {
  enum class Reason : std::uint8_t { first, costliest, finding };

  Reason reason = Reason::first;
  // number of the launch with this kernel and configuration, starting at 1
  std::uint64_t launch = 0;
  unsigned block[3] = {};
  std::vector<NamedArray> arrays;
  std::vector<BlockStep> steps;
  // For requests, offsets in bytes from the array's begin; for divergences, the lanes of each path;
  // for shuffles, each lane's source.
  std::vector<std::int64_t> numbers;
  std::uint64_t excess = 0;    // units above the ideal, of all requests
  std::uint64_t left_out = 0;  // steps above the maximum that is kept

  void clear();
};

}  // namespace cuda_simulator
