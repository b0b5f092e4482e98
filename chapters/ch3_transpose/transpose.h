#pragma once

#include <cuda_runtime.h>

// out(c, r) = in(r, c): `in` has rows x cols floats, `out` cols x rows. Both are row-major in
// device memory, aligned as by cudaMalloc, and do not overlap.
//
// rows and cols are each from 1 to kMaxExtent; their product may exceed 2^31.
// Returns once the work is queued on `stream`; throws CudaError if it cannot be launched, for
// example with more rows than the 65535 rows of blocks of a 2-D grid cover (stages 01 to 04).
//
// Every stage of this chapter defines this one function; each program links exactly one stage.
void transpose(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream = nullptr);

// A row index one tile past the last row still fits an int.
constexpr int kMaxExtent = 2147483647 - 1024;
