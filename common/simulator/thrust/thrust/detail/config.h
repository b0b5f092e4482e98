#pragma once

// Every header of Thrust includes this one. The simulator's files replace those of one version.
#include_next <thrust/version.h>
#if THRUST_VERSION / 100000 == 3
#include_next <thrust/detail/config.h>
#else
#error "these headers of Thrust are too old or too new for the simulator, which needs Thrust 3"
#endif
