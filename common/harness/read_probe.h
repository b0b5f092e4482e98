#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// Reads the `size` doubles at d_in and computes almost nothing: the ceiling of chapters whose
// result is one number, because such a kernel must read its whole input. d_in is aligned as
// cudaMalloc does it. d_unused is 4 bytes of device memory, written for one input in 2^32. Returns
// once the work is queued on `stream`; throws CudaError if it cannot be launched.
void read_probe(const double* d_in, std::size_t size, void* d_unused,
                cudaStream_t stream = nullptr);
