// Exercise 9: from a blank file (10 minutes)
//
// d[i] = |a[i] - b[i]|, on the GPU, for arrays in host memory. Only the signature of the function
// is there. Write the kernel, the launch, and everything that the host has to do.
//
// Goal: the correct result for every n; every call is checked with CUDA_CHECK, and all memory that
// is allocated is freed.
// Check:   ./workbook check ch0_ex9
// See:     ./workbook run ch0_ex9
//
// Predict first: how many arrays are on the device, and how many copies does the host make?

#include "difference.h"

#include "common/cuda_check.h"

#include <cstddef>

// TODO: the kernel. (about 4 lines)
void absolute_difference(const int* h_a, const int* h_b, int* h_d, int n, int threads) {
  // TODO: the host side. (about 16 lines)
}
