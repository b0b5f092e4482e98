#pragma once

#include <cuda_runtime.h>

// Reads the n doubles at d_x while each SM has kb_per_sm KB (1024 bytes) in flight at most:
// *d_bits becomes the exclusive or of their bits, so that no double can be left out. Both are in
// device memory.
//
// kb_per_sm is 2, 4, 8, 16, 32, 64 or 128, n is from 0 to kMaxDoubles. stream and errors are as for
// saxpy() in saxpy.h.
void read_in_flight(const double* d_x, int n, int kb_per_sm, unsigned long long* d_bits,
                    cudaStream_t stream = nullptr);

constexpr int kMaxDoubles = 1 << 30;
