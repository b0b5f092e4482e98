#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>
#include <vector>

// Makes the kernel launch with this number from now on, 1 being the next, fail as one does that
// asks for too much; 0 takes it back. False on a GPU, where there is no such thing for any launch;
// the simulator can.
bool fail_launch(int number);

inline bool fail_next_launch() { return fail_launch(1); }

// What was launched since the last call, as far as it is known.
struct LaunchesSeen {
  bool is_known = false;              // false on a GPU, which does not tell
  std::uint64_t count = 0;            // of those that ran
  dim3 grid, block;                   // of the last of them
  std::vector<std::string> refusals;  // why others did not run, in words
};
LaunchesSeen take_launches();
