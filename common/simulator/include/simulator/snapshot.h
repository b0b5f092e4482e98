#pragma once

#include "simulator/error_codes.h"

#include <cstddef>
#include <cstdint>
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

// The bytes so far that copies moved between the host and devices, or that traced host code accessed
// in managed and pinned memory; and parts of arrays that were copied within devices in pieces
// smaller than a sector (32 bytes): then the host chose a place for each element.
std::uint64_t bytes_handled_by_host();

// Whether a stream is being captured, so that no call can wait for the device.
bool is_any_stream_captured();

// Makes `error` the result of cudaGetLastError(); cudaSuccess leaves it unchanged.
void set_last_error(cudaError_t error);

}  // namespace cuda_simulator
