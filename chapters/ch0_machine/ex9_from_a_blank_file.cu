// Exercise 9: from a blank file (10 minutes)
//
// d[i] = |a[i] - b[i]|, on the GPU, for arrays in the host's memory. Nothing is there but the
// function's head: kernel, launch, and all that the host has to do are yours.
//
// Goal: right numbers for every n; every call is looked at, with CUDA_CHECK, and what is allocated
// is freed.
// Check:   ./workbook check ch0_ex9
// See:     ./workbook run ch0_ex9
//
// Predict first: how many arrays are on the device, and how many copies are there?

#include "difference.h"

#include "common/cuda_check.h"

#include <cstddef>

// TODO: the kernel. (about 4 lines)
void absolute_difference(const int* h_a, const int* h_b, int* h_d, int n, int threads) {
  // TODO: the host's side. (about 16 lines)
}
