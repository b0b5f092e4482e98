#pragma once

#include <cuda_runtime.h>

// The ceiling of this chapter: queues nothing but what a pair of points costs in the loop over all
// pairs, over and over, from registers to registers, on all multiprocessors. Returns how many
// pairs.
//
// What `unused` points to, one element in device memory, does not matter and may change.
double pair_rate(float* unused, cudaStream_t stream = nullptr);
