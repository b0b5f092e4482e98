#pragma once

#include "accuracy.h"

#include <cuda_runtime.h>

#include <cstddef>

// The same as map_in_place() in in_place.h, in double precision. d_x is aligned as cudaMalloc
// aligns.
//
// in_place_doubles.cu defines this function and accuracy().
void double_map_in_place(double* d_x, std::size_t n, cudaStream_t stream = nullptr);
