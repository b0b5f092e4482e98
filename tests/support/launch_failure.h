#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>
#include <vector>

// Makes the kernel launch with this number, counted from now on (1 is the next), fail like a launch
// that requests too many resources; 0 cancels this. False on a GPU, where a launch cannot be made
// to fail.
bool fail_launch(int number);

// Cancels fail_launch(). Returns true if its launch has not come yet.
bool take_launch_failure();

// Lets the next `count` launches run and all later launches fail; on a GPU all run.
void limit_launches(std::uint64_t count);

// Whether GPUs can access each other's memory from now on; ends all access that is enabled. False on
// a GPU, where this cannot be changed.
bool set_peer_access(bool is_possible);

inline bool fail_next_launch() { return fail_launch(1); }

// The launches since the last call, as far as they are known.
struct LaunchesSeen {
  bool is_known = false;    // false on a GPU, and for the kernels of a library
  std::uint64_t count = 0;  // launches that ran
  dim3 grid, block;         // of the last of these
  struct Refusal {
    std::string text;  // why a launch did not run
    std::string why;   // the same in one word: "no_blocks"
  };
  std::vector<Refusal> refusals;
  bool ran_out = false;  // limit_launches() has refused a launch since its last call
};
LaunchesSeen take_launches();
