#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// *d_maximum = the largest of the `size` doubles at d_in; no input is NaN. For size 0 it is
// -infinity, the identity element: max(x, -infinity) is x for every x.
//
// Otherwise the contract of log_likelihood() in reduction.h. The order does not matter, because
// a maximum rounds nothing.
void maximum(const double* d_in, double* d_maximum, std::size_t size, void* d_workspace,
             cudaStream_t stream = nullptr);
