#pragma once

#include "simulator/vector_types.h"

// Who am I. `const` here alone: the simulator sets them before a thread runs, and a thread's own
// values never change, so the compiler may keep them in registers across a barrier.
// (CUDA's blockDim and gridDim are dim3; uint3 converts to it, and a plain type's reads are not
// traced.)
extern const __thread uint3 threadIdx, blockIdx, blockDim, gridDim;

constexpr int warpSize = 32;
