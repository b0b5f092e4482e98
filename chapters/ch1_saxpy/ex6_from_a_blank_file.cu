// Exercise 6: from a blank file (10 minutes)
//
// saxpy once more, without looking at a stage: the kernel, with a grid-stride loop, and its launch.
// This time the grid is small: never more than 64 blocks, and no more than the elements need.
//
// Goal: right for every n, 0 too, and for any number of threads per block; at most 64 blocks; an
// exception if the launch is refused; 4 sectors per request.
// Check:   ./workbook check ch1_ex6
// See:     ./workbook run ch1_ex6
//
// Predict first: how many blocks for 1000 elements, 256 threads each? For a million? How often does
// a thread go round its loop then?

#include "saxpy.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <algorithm>

// TODO: the kernel. (about 7 lines)
void saxpy(float a, const float* d_x, float* d_y, int n, int threads, cudaStream_t stream) {
  // TODO: the launch, in the caller's stream: <<<blocks, threads, 0, stream>>>. (about 4 lines)
}
