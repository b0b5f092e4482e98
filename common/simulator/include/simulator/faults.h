#pragma once

#include <cstdint>

namespace cuda_simulator {

// For tests of what a program does when a launch fails: the launch with this number from now on, 1
// being the next, runs nothing and sets cudaErrorLaunchOutOfResources. 0 takes it back.
void fail_launch(int number);

// Of the launches from now on this many run, and each further one runs nothing and sets
// cudaErrorLaunchOutOfResources: for tests, which would otherwise run for minutes where a
// function launches a kernel for each element. take_launches() says so.
void limit_launches(std::uint64_t count);

}  // namespace cuda_simulator
