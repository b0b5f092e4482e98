#pragma once

#include "simulator/error_codes.h"

#include <cstddef>
#include <vector>

// For replaying a program's calls without its kernels (common/grading).
namespace cuda_simulator {

struct MemorySpan {
  void* begin;
  std::size_t bytes;
};

// The live allocations of the device, including pinned and managed memory, in the order of
// allocation.
std::vector<MemorySpan> live_allocations();

// Makes `error` the result of cudaGetLastError(); cudaSuccess leaves it unchanged.
void set_last_error(cudaError_t error);

}  // namespace cuda_simulator
