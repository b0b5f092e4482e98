#pragma once

#include <cuda_runtime.h>

// The nearest of the others of each of `count` vectors, `kept` of them, the nearest first; of equal
// distances the smaller number first. The squared distance of two vectors is a sum over their
// components, in their order, of
//
//   d = fmaf(x - y, x - y, d)
//
// so it has the same bits on a CPU. Below 2^-126 it may be 0. A distance that is no finite float is
// not kept; a place for which there is no other has the distance INFINITY and the number -1.
//
// d_vectors is count x dimensions, vector after vector; d_neighbours and d_distances are count x
// kept, row after row. All are in device memory, and the vectors are finite. count is at least 2,
// dimensions at least 1, kept from 1 to count - 1. Returns once the work is queued on `stream`;
// throws CudaError if it cannot be launched.
void find_neighbours(const float* d_vectors, int* d_neighbours, float* d_distances, int count,
                     int dimensions, int kept, cudaStream_t stream = nullptr);
