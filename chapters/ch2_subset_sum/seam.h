#pragma once

#include <cuda_runtime.h>

// A seam goes through an image from the top row to the bottom row, one pixel per row, and from a
// pixel straight down or diagonally down, by one column. Computes for each pixel the cost of the
// cheapest seam from the top row to it:
//
//   cost[0][c] = energy[0][c]
//   cost[r][c] = energy[r][c] + min(cost[r-1][c-1], cost[r-1][c], cost[r-1][c+1])
//
// where entries outside the image are left out of the minimum. The two arrays have rows x cols ints
// in device memory, row by row, without gaps; rows and cols are at least 1, and every cost fits an
// int. The energies are not changed. The old contents of d_cost do not matter.
//
// Returns once the work is queued on `stream`; throws CudaError if it cannot be launched.
void seam_costs(const int* d_energy, int* d_cost, int rows, int cols,
                cudaStream_t stream = nullptr);
