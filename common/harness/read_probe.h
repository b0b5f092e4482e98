#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// Reads the `size` doubles at d_in and does next to nothing with them: the ceiling of chapters
// whose result is one number, which can be had no sooner than its input is read. d_in is aligned as
// cudaMalloc aligns; d_unused is 4 bytes of device memory, which one input in 2^32 makes it write
// to. Returns once the work is queued on `stream`; throws CudaError if it cannot be launched.
void read_probe(const double* d_in, std::size_t size, void* d_unused,
                cudaStream_t stream = nullptr);
