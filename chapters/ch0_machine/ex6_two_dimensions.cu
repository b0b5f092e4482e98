// Exercise 6: two dimensions (8 minutes)
//
// Each thread handles one cell of a table and writes 100 * row + col there. The blocks are 32 x 8
// threads. The numbers of blocks in x and y, and the cell of each thread, are missing.
//
// Goal: the correct result for every table. Threads that are consecutive in x have cells that are
// adjacent in memory. (This has the lowest cost. Stage 07, later in the chapter, counts it.)
// Check:   ./workbook check ch0_ex6
// See:     ./workbook run ch0_ex6 -- --rows 3 --cols 5
//
// Predict first: threads 0 and 1 of a warp differ in x. Should their cells be adjacent in a row of
// the table, or in a column?

#include "cells.h"

#include "common/cuda_check.h"

__global__ void number_cells_kernel(int* cells, int rows, int cols) {
  // TODO: compute this thread's row and column. If there is such a cell, number it. (3 lines)
}

void number_cells(int* d_cells, int rows, int cols) {
  const dim3 block(32, 8);
  dim3 grid;
  // TODO: set grid.x and grid.y to the numbers of blocks that the table needs. (2 lines)
  number_cells_kernel<<<grid, block>>>(d_cells, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}
