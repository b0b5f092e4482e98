// Exercise 7: the Mandelbrot set (30 minutes)
//
// After how many steps does each point of a grid escape? From a blank file: mandelbrot.h has the
// formula, in integers. The kernel is a map in two dimensions, and each element needs a different
// number of steps.
//
// Goal: correct for every shape and limit; for 256 x 256 points 2048 store requests of 4 sectors.
// Check:   ./workbook check ch7_ex7
// Look:    ./workbook run ch7_ex7
//
// Predict first: 22 lanes of a warp reach the limit of 100 steps, and 10 lanes escape after 5. How
// many of the 3200 steps of its lanes are idle?

#include "mandelbrot.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

// TODO: the kernel. (about 20 lines)
void mandelbrot(int* d_steps, int rows, int cols, long long left, long long top, long long step,
                int limit, cudaStream_t stream) {
  // TODO: the launch of a 2-D grid, in the caller's stream. (about 6 lines)
}
