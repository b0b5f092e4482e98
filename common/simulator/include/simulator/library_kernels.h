#pragma once

#include "simulator/launch.h"

#include <cstddef>

// What the replacement of a library computes: kernels of one thread, in the order of their streams.
// They have no counts, and a finding in a library's header is at the line of the call.

namespace cuda_simulator {

// Prints once per library that a replacement computes its results.
void announce_replacement(const char* library);

// Memory of the current device, for a thread of a kernel; nullptr if the device has too little.
void* allocate_in_kernel(std::size_t bytes);
void free_in_kernel(void* memory);
// Returns to the device what free_in_kernel() was given, when no kernel runs.
void release_kernel_memory();

class LibraryKernel {
 public:
  LibraryKernel(const char* library, const char* function, cudaStream_t stream)
      : function_(function), stream_(stream) {
    announce_replacement(library);
  }

  // Returns the error of the launch. body: what the thread executes; it is copied.
  template <typename Body>
  cudaError_t run(Body body) const {
    LaunchedKernel launched{function_};
    launched.of_library = true;
    const cudaError_t error = launch(LaunchConfiguration{1, 1, 0, stream_}, launched, body).run();
    release_kernel_memory();
    return error;
  }

 private:
  const char* function_;
  cudaStream_t stream_;
};

}  // namespace cuda_simulator
