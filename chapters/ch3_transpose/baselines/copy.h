#pragma once

#include <cuda_runtime.h>

// out(r, c) = in(r, c): moves the bytes of a transpose without turning them, so it sets the speed
// that a transpose can hope for. Same contract as transpose() in transpose.h.
//
// Every copy_*.cu defines this one function; each program links exactly one of them.
void copy(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream = nullptr);
