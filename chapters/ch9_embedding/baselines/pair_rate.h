#pragma once

#include <cuda_runtime.h>

// The ceilings of this chapter: kernels that execute only the arithmetic of a pair of points,
// repeatedly, in registers, on all multiprocessors. Each function queues one of the kernels and
// returns the number of ordered pairs. pair_rate() computes a pair for one of its points, as stages
// 01 to 06 do; pair_once_rate() computes a pair for both points, as stages 07 and 08 do.
//
// `unused` points to one element in device memory, whose value does not matter and may change.
double pair_rate(float* unused, cudaStream_t stream = nullptr);
double pair_once_rate(float* unused, cudaStream_t stream = nullptr);
