#pragma once

// Numbers the cells of a table: the cell at (row, col) becomes 100 * row + col.
//
// The table is in device memory and has rows x cols cells, row by row: the cell at (row, col) is
// element row * cols + col. rows and cols are at least 1. Throws CudaError if the launch fails.
//
// Exercise 6 defines this one function.
void number_cells(int* d_cells, int rows, int cols);
