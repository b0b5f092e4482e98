#pragma once

#include <cuda_runtime.h>

// y(i) = a * x(i) + y(i) for i from 0 to n - 1. x and y are in device memory and do not overlap.
// They may start at any float; at a multiple of 16 bytes, as cudaMalloc's memory does, is best.
//
// n is from 0 to kMaxSize. A block has `threads` threads; a library ignores that and chooses for
// itself. Returns once the work is queued on `stream`; throws CudaError if it cannot be launched,
// for example with too many threads per block.
//
// Every stage of this chapter defines this one function; each program links exactly one stage.
void saxpy(float a, const float* d_x, float* d_y, int n, int threads,
           cudaStream_t stream = nullptr);

// 2^30, 4.3 GB per array. An index may go one grid past the end, and still fits an int.
constexpr int kMaxSize = 1 << 30;
