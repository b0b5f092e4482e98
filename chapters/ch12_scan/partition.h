#pragma once

#include "compaction/compaction.h"

#include <cuda_runtime.h>

#include <cstddef>

// d_out = first the elements of d_in for which is_selected() is true, then all others, both in the
// order of d_in (*stable*), and *d_count = how many are selected.
//
// Otherwise the contract of select_even() in compaction/compaction.h.
void partition(const int* d_in, int* d_out, int* d_count, std::size_t size, void* d_workspace,
               cudaStream_t stream = nullptr);
