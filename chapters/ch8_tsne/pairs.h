#pragma once

#include <cuda_runtime.h>

// d_i[t] and d_j[t] = the pair i < j with the index d_numbers[t] among all pairs of `count`
// vectors: the inverse of pair_index() in pair_index.h, for `size` numbers. `count` is from 2 to
// kMaxCount, each number from 0 to pair_count(count) - 1.
//
// All arrays are in device memory. Returns once the work is queued on `stream`. Throws CudaError if
// it cannot be launched.
//
// Exercise 1 defines this one function.
void pairs_at(const long long* d_numbers, int* d_i, int* d_j, int size, int count,
              cudaStream_t stream = nullptr);
