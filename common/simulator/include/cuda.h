#pragma once

// Programs for the runtime API often include this header of the driver API without calling it. The
// driver API is not simulated, but its version number is here, and what comes with it.
#include "cuda_runtime.h"

#define CUDA_VERSION CUDART_VERSION
