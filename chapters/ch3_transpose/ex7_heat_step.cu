// Exercise 7: one step of heat, through a tile with a halo (30 minutes)
//
// A plate has rows x cols temperatures. In one step each temperature becomes the mean of its four
// neighbours: above, below, left and right. The border of the plate keeps its temperatures.
//
// Goal: correct for every shape. A block loads its tile and the halo around it into shared memory,
// so that there are about 2 global load requests per 32 elements (at most 3) instead of 4. No bank
// conflicts.
// Check:   ./workbook check ch3_ex7
// Look:    ./workbook inspect ch3_ex7
//
// Start on paper: a block of 32 x 32 threads computes 32 x 32 elements. How many elements does it
// load? Which thread loads which? Which elements of the matrix have no neighbour on one side?
//
// Predict first: how many elements does a tile with its halo have, and how many elements would the
// same block load without a tile?

#include "heat_step.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

// TODO: the kernel. (about 25 lines)
void heat_step(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream) {
  // TODO: the launch, in the caller's stream. (about 4 lines)
}
