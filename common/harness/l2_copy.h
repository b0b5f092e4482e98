#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// A ceiling: copies a column of `bytes` bytes, a multiple of 16, from d_from to
// d_to, in device memory. Small columns are in the L2 cache if they have just been written.
void l2_copy(const void* d_from, void* d_to, std::size_t bytes, cudaStream_t stream = nullptr);
