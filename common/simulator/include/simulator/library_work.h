#pragma once

#include "simulator/runtime_api.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

// What the replacements of NVIDIA's libraries have in common: the CPU computes a call, in the order
// of its stream, without counts.

namespace cuda_simulator {

struct LibraryCall {
  const char* function;  // "cublasSgemm"
  const void* caller;    // its return address
};

// `count` rows of an array that a call uses, `pitch` bytes apart.
struct LibraryArray {
  const char* name;  // of the parameter
  const void* begin;
  std::size_t row_bytes;
  std::size_t count = 1, pitch = 0;
};

struct LibraryWork {
  LibraryCall call;
  std::vector<LibraryArray> reads, writes;
  std::function<void()> compute;
  bool host_waits = false;
};

// Adds the work to the stream. If an array is not in live device memory, that is a finding, and the
// device's context is lost, as after a kernel with such an error.
cudaError_t add_library_work(cudaStream_t stream, const LibraryWork& work);

// Reports an error at the call's line: a finding, or a message of the plain build.
void report_library_error(const LibraryCall& call, const char* kind, const std::string& message);

// Returns whether the host can read and write the memory.
bool is_host_memory(const void* pointer, std::size_t bytes);

// Says once on stderr that the CPU computes the calls of a library. by: the program that computes
// them; empty for the simulator's own loops.
void say_computed(const LibraryCall& call, const std::string& library, const std::string& by = "");

}  // namespace cuda_simulator
