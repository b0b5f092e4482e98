#pragma once

#include "simulator/vector_types.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cuda_simulator {

// For tests of the way in which a function launches its kernels.
struct Launches {
  bool is_known = true;
  std::uint64_t count = 0;  // launches that ran
  dim3 grid, block;         // of the last launch that ran
  struct Refusal {
    std::string text;  // "k cannot be launched: a grid of 0 x 1 x 1 blocks is empty."
    std::string why;   // "empty", in a word for programs
  };
  std::vector<Refusal> refusals;
  bool by_library = false;  // a library launched kernels of its own, which are not counted
  bool ran_out = false;  // limit_launches() has refused a launch since its last call
};

// The launches since the last call.
Launches take_launches();

// The report leaves out what launches and copies have cost so far. Only the traced library has this
// function.
void count_from_here();

// From now on launches are not recorded: for a judge that replays the calls of another process and
// launches nothing.
void hide_launches();

}  // namespace cuda_simulator
