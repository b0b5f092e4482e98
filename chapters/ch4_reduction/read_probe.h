#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// Reads the `size` doubles at d_in and does next to nothing with them: the ceiling of this chapter,
// for a sum can be had no sooner than its terms are read. Same contract as log_likelihood() in
// reduction.h, but there is no result; the workspace is where one would go.
void read_probe(const double* d_in, std::size_t size, void* d_workspace,
                cudaStream_t stream = nullptr);
