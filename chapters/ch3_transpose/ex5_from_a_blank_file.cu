// Exercise 5: from a blank file (20 minutes)
//
// Write a transpose through a tile in shared memory without looking at a stage: the kernel and its
// launch.
//
// Goal: correct for every shape; 4 sectors per request for loads and stores; no bank conflict.
// Check:   ./workbook check ch3_ex5
// Look:    ./workbook inspect ch3_ex5
//
// Start on paper: which element of `in` does thread (x, y) of a block read, where in the tile does
// it store this element, and which element of `out` does it write?
//
// Predict first: how many barriers does a block need, and between which two lines?

#include "transpose.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

// TODO: the kernel. (about 20 lines)
void transpose(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream) {
  // TODO: the launch, in the caller's stream. (about 4 lines)
}
