#pragma once

#include <cstdint>

namespace cuda_simulator {

// For tests of a program's behaviour when a launch fails: the launch with this number from now on
// (1 is the next one) runs nothing and sets cudaErrorLaunchOutOfResources. 0 cancels this. Returns
// true if an earlier call still waits for its launch.
bool fail_launch(int number);

// This many launches run from now on; each further launch runs nothing and sets
// cudaErrorLaunchOutOfResources. For tests, which would run for minutes if a function launched a
// kernel for each element. take_launches() reports it.
void limit_launches(std::uint64_t count);

// For tests of a program's behaviour without peer access: whether devices can be peers from now on.
// Ends all access that is enabled. Overrides CUDA_SIMULATOR_PEER_ACCESS.
void set_peer_access(bool is_possible);

}  // namespace cuda_simulator
