#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// The dot product of integers of 64 bits, as in a tutorial: few blocks, one partial sum per block,
// and the host adds the partial sums.

constexpr unsigned kIntegerThreads = 256;  // a power of two, for the tree
constexpr unsigned kIntegerBlocks = 32;    // at most; fewer if there are fewer elements

// Returns the sum of a[i] * b[i] over the `size` numbers at d_a and at d_b, in device memory; an
// empty sum is 0. It is exact below 2^64, and modulo 2^64 beyond, in any order. d_sums, in device
// memory, has room for kIntegerBlocks partial sums; its previous content does not matter. Waits for
// the result; throws CudaError if the kernel or the copy fails.
unsigned long long integer_dot_product(const unsigned long long* d_a, const unsigned long long* d_b,
                                       std::size_t size, unsigned long long* d_sums,
                                       cudaStream_t stream = nullptr);
