// Exercise 7: a histogram, from a blank file (30 minutes)
//
// Count how often each of the 256 byte values occurs (histogram.h). Launch one block per 4096
// bytes. Each block counts in 256 bins in shared memory. At the end the block adds each of its bins
// that is not empty to d_bins, with one atomicAdd per bin.
//
// Goal: correct for every size, including 0; no race; 1 sector per load request; at most one global
// atomicAdd per block and bin.
// Check:   ./workbook check ch4_ex7
// Look:    ./workbook inspect ch4_ex7
//
// Predict first: 131,072 bytes of text, with characters from 32 to 126. How many global atomic
// requests does a kernel execute that calls atomicAdd(&bins[in[i]], 1) for its byte in each thread?
// How many does your kernel execute, if 32 consecutive threads add 32 consecutive bins?

#include "histogram.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>
#include <cstdint>

constexpr std::size_t kBlockBytes = 4096;

// TODO: the kernel. (about 15 lines)
void histogram(const std::uint8_t* d_in, unsigned* d_bins, std::size_t size, cudaStream_t stream) {
  // TODO: set the bins to 0, in the stream, and launch the kernel there. (about 5 lines)
}
