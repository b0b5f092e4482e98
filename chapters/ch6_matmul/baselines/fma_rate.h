#pragma once

#include <cuda_runtime.h>

// The ceiling of this chapter: queues only multiply-adds, from registers to registers, on all
// multiprocessors, and returns the number of operations (a multiply-add is two). `unused` points to
// one element in device memory; its value does not matter and can change.
//
// This is the rate of the ordinary arithmetic units. Tensor cores have a higher rate.
double fma_rate(float* unused, cudaStream_t stream = nullptr);
double fma_rate(double* unused, cudaStream_t stream = nullptr);
