#pragma once

#include <cuda_runtime.h>

// A ceiling: queues a kernel that only repeats a subtraction and a multiply-add
// (the square of the difference) between registers, on all multiprocessors. Returns the number of
// operations: three per two instructions.
//
// `unused` points to one element in device memory; its value does not matter and can change.
double issue_rate(float* unused, cudaStream_t stream = nullptr);
