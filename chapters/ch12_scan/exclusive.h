#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// d_out[i] = d_in[0] + d_in[1] + ... + d_in[i - 1]: the exclusive scan of `size` ints. d_out[0] is
// 0.
//
// Otherwise the contract of scan() in scan.h.
void exclusive_scan(const int* d_in, int* d_out, std::size_t size, void* d_workspace,
                    cudaStream_t stream = nullptr);
