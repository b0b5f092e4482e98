#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// The sum of log_likelihood() in reduction.h, by blocks of `threads` threads: any number from 1 to
// 1024. It needs no workspace.
void log_likelihood_by_blocks(const double* d_in, double* d_sum, std::size_t size, int threads,
                              cudaStream_t stream = nullptr);
