#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// d_distances[i * count + j] = |x(i) - x(j)|^2 for all i and j, computed as |x(i)|^2 + |x(j)|^2 - 2
// x(i) x(j). The error is relative to |x(i)|^2 + |x(j)|^2. No distance is negative. The distance of
// two equal vectors is 0, and a distance is NaN if one of the vectors contains a NaN. `d_vectors`
// holds `count` vectors of `dimensions` floats, vector after vector; `d_workspace` has
// full_matrix_workspace() bytes with any content.
//
// All arrays are in device memory, aligned as cudaMalloc aligns, and do not overlap. Returns once
// the work is queued on `stream`. Throws CudaError if it cannot be launched.
//
// Exercise 6 defines these two functions.
void full_matrix(const float* d_vectors, float* d_distances, void* d_workspace, std::size_t count,
                 std::size_t dimensions, cudaStream_t stream = nullptr);
std::size_t full_matrix_workspace(std::size_t count, std::size_t dimensions);
