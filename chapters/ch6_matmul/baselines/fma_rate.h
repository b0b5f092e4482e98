#pragma once

#include <cuda_runtime.h>

// The ceiling of this chapter: queues nothing but multiply-adds, from registers to registers, on
// all multiprocessors, and returns how many operations these are (a multiply-add is two). What
// `unused` points to, one element in device memory, does not matter and may change.
//
// It is the rate of the ordinary arithmetic units. Tensor cores have a rate of their own, above it.
double fma_rate(float* unused, cudaStream_t stream = nullptr);
double fma_rate(double* unused, cudaStream_t stream = nullptr);
