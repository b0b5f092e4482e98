#pragma once

#include <cuda_runtime.h>

// Finds the `kept` nearest others of each of `count` vectors, the nearest first; of equal
// distances the smaller index comes first. The squared distance of two vectors is a sum over their
// components, in their order, of
//
//   d = fmaf(x - y, x - y, d)
//
// so it has the same bits on a CPU. Below 2^-126 it may be 0. A distance that is not a finite float
// is not kept; a slot without a neighbour has the distance INFINITY and the index -1.
//
// d_vectors is count x dimensions, vector by vector; d_neighbours and d_distances are count x
// kept, row by row. All are in device memory, and the vectors are finite. count is at least 2,
// dimensions at least 1, kept from 1 to count - 1. Returns when the work is queued on `stream`;
// throws CudaError if it cannot be launched.
void find_neighbours(const float* d_vectors, int* d_neighbours, float* d_distances, int count,
                     int dimensions, int kept, cudaStream_t stream = nullptr);
