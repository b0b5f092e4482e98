#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// Which elements select_even() keeps: the even ones.
__host__ __device__ inline bool is_selected(int x) { return x % 2 == 0; }

// d_out = the elements of d_in for which is_selected() is true, in the order of d_in (*stable*),
// and *d_count = how many there are. The elements of d_out from *d_count on do not change.
//
// d_in and d_out have `size` ints, and do not overlap; the elements can have any value. size is
// from 0 to kMaxSize (scan.h). Otherwise the contract of scan() in scan.h.
void select_even(const int* d_in, int* d_out, int* d_count, std::size_t size, void* d_workspace,
                 cudaStream_t stream = nullptr);
