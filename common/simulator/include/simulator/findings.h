#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cuda_simulator {

// One thing that is wrong with a kernel, as the traced build found it.
struct Finding {
  // out_of_bounds, freed_memory, null_pointer, host_pointer, misaligned, race, uninitialised,
  // barrier, deadlock, endless, device_pointer_on_host, array_index, assert, exception, group,
  // async_copy, launch_in_kernel, stack_overflow, division_by_zero, illegal_instruction, bad_access
  std::string kind;
  std::string kernel;
  std::string message;  // plain words; the places are told apart from it

  struct Place {
    std::string file;
    int line = 0, column = 0;
    std::string operation;  // load, store, atomic, wait, ...
    unsigned thread[3] = {}, block[3] = {};
    bool in_kernel = true;
  };
  std::vector<Place> places;
  std::uint64_t count = 1;  // how often the same thing happened at the same places
};

// What was found since the last call; a test that asks takes the responsibility for it. Only the
// traced library has these functions: the plain one looks for nothing.
std::vector<Finding> take_findings();

// The text that a person reads: the message, then a line for each place.
std::string describe(const Finding& finding);

}  // namespace cuda_simulator
