#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>
#include <vector>

// Makes the kernel launch with this number from now on, 1 being the next, fail as one does that
// asks for too much; 0 takes it back. False on a GPU, where there is no such thing for any launch;
// the simulator can.
bool fail_launch(int number);

// Of the launches from now on this many run, and all further ones fail; on a GPU all run.
void limit_launches(std::uint64_t count);

inline bool fail_next_launch() { return fail_launch(1); }

// What was launched since the last call, as far as it is known.
struct LaunchesSeen {
  bool is_known = false;    // false on a GPU, which does not tell
  std::uint64_t count = 0;  // of those that ran
  dim3 grid, block;         // of the last of them
  struct Refusal {
    std::string text;  // why another did not run
    std::string why;   // the same in a word: "no_blocks"
  };
  std::vector<Refusal> refusals;
  bool ran_out = false;  // limit_launches() has refused some, since it was called last
};
LaunchesSeen take_launches();
