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

// Whether a stream is being captured, so that no call can wait for the device.
bool is_any_stream_captured();

// Makes `error` the result of cudaGetLastError(); cudaSuccess leaves it unchanged.
void set_last_error(cudaError_t error);

}  // namespace cuda_simulator
