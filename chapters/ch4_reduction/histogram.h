#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

// d_bins[b] = how many of the `size` bytes at d_in are equal to b, for each b from 0 to 255.
//
// Both arrays are in device memory. The old values of the 256 counters do not matter.
// size is from 0 to 2^32 - 1, so that no counter overflows. Returns once the work is queued on
// `stream`; throws CudaError if it cannot be launched.
void histogram(const std::uint8_t* d_in, unsigned* d_bins, std::size_t size,
               cudaStream_t stream = nullptr);
