#pragma once

#include "accuracy.h"

#include <cuda_runtime.h>

#include <cstddef>

// y(i) = tan x(i) + 3 sin x(i) for i from 0 to n - 1. x and y are in device memory, do not overlap,
// and are aligned as cudaMalloc aligns. n is from 0 to kMaxSize.
//
// For |x| <= kMaxX the error is within accuracy(). Beyond, the result can have no correct digit.
// For an infinite x or NaN the result is NaN.
// Returns once the work is queued on `stream`; throws CudaError if it cannot be launched.
//
// Every stage of this chapter defines this function and accuracy(); each program links exactly one
// stage.
void vector_map(const float* d_x, float* d_y, std::size_t n, cudaStream_t stream = nullptr);

constexpr std::size_t kMaxSize = std::size_t{1} << 38;  // 1.1 TB of floats: more than a GPU holds
