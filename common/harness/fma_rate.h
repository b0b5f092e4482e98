#pragma once

#include <cuda_runtime.h>

// A ceiling: queues a kernel that computes only multiply-adds, between registers,
// on all multiprocessors. Returns the number of operations (two per multiply-add). `unused` points
// to one element in device memory; its value does not matter and can change.
//
// This is the rate of the FP32 or FP64 units. Tensor cores have a higher rate.
double fma_rate(float* unused, cudaStream_t stream = nullptr);
double fma_rate(double* unused, cudaStream_t stream = nullptr);
