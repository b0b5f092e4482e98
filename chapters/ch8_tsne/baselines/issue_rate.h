#pragma once

#include <cuda_runtime.h>

// The ceiling of this chapter: queues nothing but a subtraction and a multiply-add of its result
// with itself, over and over, from registers to registers, on all multiprocessors. Returns how many
// operations these are: three for the two instructions.
//
// What `unused` points to, one element in device memory, does not matter and may change.
double issue_rate(float* unused, cudaStream_t stream = nullptr);
