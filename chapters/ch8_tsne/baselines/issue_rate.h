#pragma once

#include <cuda_runtime.h>

// The ceiling of this chapter: queues only a subtraction and a multiply-add of its result with
// itself, repeated, from registers to registers, on all multiprocessors. Returns the number of
// operations: three for the two instructions.
//
// `unused` points to one element in device memory; its value does not matter and can change.
double issue_rate(float* unused, cudaStream_t stream = nullptr);
