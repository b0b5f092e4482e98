#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// d_out[i] = log_density(d_in[i]): the terms of the sum, each stored, none added. `size` doubles
// each, which do not overlap; otherwise the contract of log_likelihood() in reduction.h.
void map_log_density(const double* d_in, double* d_out, std::size_t size,
                     cudaStream_t stream = nullptr);
