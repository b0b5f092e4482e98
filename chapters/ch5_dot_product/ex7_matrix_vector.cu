// Exercise 7: matrix times vector (30 minutes)
//
// Compute y = A x, from a blank file: y[r] is the dot product of row r of A with x. A is stored row
// by row. You decide how to divide the rows among threads, warps and blocks.
//
// Goal: correct for every shape, also without rows or columns. For 1024 rows of 96 elements: 8
// sectors per load request, 6144 load requests, 32 threads per row, and 1024 store requests.
// Check:   ./workbook check ch5_ex7
// Look:    ./workbook inspect ch5_ex7
//
// Predict first: with one thread per row, how many sectors does a request for A touch, and one for
// x? With one block of 256 threads per row of 96 elements, how many threads are idle?

#include "matrix_vector.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

// TODO: the kernel. (about 15 lines)
void matrix_vector(const double* d_a, const double* d_x, double* d_y, std::size_t rows,
                   std::size_t cols, cudaStream_t stream) {
  // TODO: the launch, in the caller's stream. (about 4 lines)
}
