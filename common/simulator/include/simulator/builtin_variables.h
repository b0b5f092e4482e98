#pragma once

#include "simulator/vector_types.h"

// The index of a thread and of its block. They are `const` only here: the simulator sets them
// before a thread runs. A thread's own values never change, so the compiler may keep them in
// registers across a barrier. (CUDA's blockDim and gridDim are dim3; uint3 converts to dim3, and
// reads of a plain type are not traced.)
extern const __thread uint3 threadIdx, blockIdx, blockDim, gridDim;

constexpr int warpSize = 32;
