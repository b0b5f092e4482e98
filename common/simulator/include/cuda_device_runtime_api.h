#pragma once

// The runtime API as kernels see it. A launch in a kernel is not simulated.
#include "cuda_runtime.h"
