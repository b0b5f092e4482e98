#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// d_out[i] = log_density(d_in[i]): the terms of the sum, stored and not added. Both arrays have
// `size` doubles and do not overlap; otherwise the contract of log_likelihood() in reduction.h.
void map_log_density(const double* d_in, double* d_out, std::size_t size,
                     cudaStream_t stream = nullptr);
