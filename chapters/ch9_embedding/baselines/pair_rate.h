#pragma once

#include <cuda_runtime.h>

// The ceilings of this chapter: queue nothing but what a pair of points costs in the loop over all
// pairs, over and over, from registers to registers, on all multiprocessors. They return how many
// pairs, each counted in both orders. pair_rate() computes a pair for one of its points, as stages
// 01 to 06 do, pair_once_rate() for both, as stages 07 and 08 do.
//
// What `unused` points to, one element in device memory, does not matter and may change.
double pair_rate(float* unused, cudaStream_t stream = nullptr);
double pair_once_rate(float* unused, cudaStream_t stream = nullptr);
