#pragma once

#include "accuracy.h"

#include <cuda_runtime.h>

#include <cstddef>

// The same as vector_map() in vector_map.h, in double precision. A zero can lose its sign.
//
// double/01_accurate.cu and double/02_precision.cu define this function and accuracy().
void double_map(const double* d_x, double* d_y, std::size_t n, cudaStream_t stream = nullptr);
