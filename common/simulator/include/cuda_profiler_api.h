#pragma once

#include "cuda_runtime.h"

// The start and the end of a profiler's range. No profiler watches the simulator.
inline cudaError_t cudaProfilerStart() { return cudaSuccess; }
inline cudaError_t cudaProfilerStop() { return cudaSuccess; }
