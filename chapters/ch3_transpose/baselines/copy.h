#pragma once

#include <cuda_runtime.h>

// out(r, c) = in(r, c): moves the bytes of a transpose without transposing them, so its speed is
// the most that a transpose can reach. Same contract as transpose() in transpose.h.
//
// Every copy_*.cu defines this one function; each program links exactly one of them.
void copy(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream = nullptr);
