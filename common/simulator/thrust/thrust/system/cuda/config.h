#pragma once

// CCCL's file of this name includes CUB.
#include <thrust/detail/config.h>
#define THRUST_RUNTIME_FUNCTION
