#pragma once

#include "common/ceil_div.h"

#include <cuda_runtime.h>

#include <cstddef>

// d_out[i] = d_in[0] + d_in[1] + ... + d_in[i]: the inclusive scan of `size` ints.
//
// Both arrays are in device memory, aligned as by cudaMalloc, and do not overlap. size is from 0 to
// kMaxSize. The absolute values of the elements add up to at most 2^31 - 1, so no sum of any of
// them overflows, in any order. d_workspace has workspace_bytes(size), with any content, and is
// aligned as by cudaMalloc; concurrent calls need one workspace each. Returns once the work is
// queued on `stream`; throws CudaError if it cannot be launched.
//
// Every stage of this chapter defines this function; each program links exactly one stage.
void scan(const int* d_in, int* d_out, std::size_t size, void* d_workspace,
          cudaStream_t stream = nullptr);

constexpr std::size_t kMaxSize = 0x7fffffff;  // 2^31 - 1, so that a count of elements is an int

// 16 bytes per 1024 elements: at least one sum and one status word per tile; 64 KiB for a library.
constexpr std::size_t workspace_bytes(std::size_t size) {
  return 64 * 1024 + 16 * ceil_div(size, std::size_t{1024});
}
