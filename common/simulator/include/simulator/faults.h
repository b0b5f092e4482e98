#pragma once

namespace cuda_simulator {

// For tests of what a program does when a launch fails: the launch with this number from now on, 1
// being the next, runs nothing and sets cudaErrorLaunchOutOfResources. 0 takes it back.
void fail_launch(int number);

}  // namespace cuda_simulator
