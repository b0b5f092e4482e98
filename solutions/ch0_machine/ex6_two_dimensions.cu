// Exercise 6, solved: x counts along a row, y counts the rows.

#include "cells.h"

#include "common/cuda_check.h"

__global__ void number_cells_kernel(int* cells, int rows, int cols) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows && col < cols) cells[row * cols + col] = 100 * row + col;
}

void number_cells(int* d_cells, int rows, int cols) {
  const dim3 block(32, 8);
  dim3 grid;
  grid.x = (cols + block.x - 1) / block.x;
  grid.y = (rows + block.y - 1) / block.y;
  number_cells_kernel<<<grid, block>>>(d_cells, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}
