#pragma once

#include "common/cuda_check.h"
#include "common/harness/format.h"

#include <functional>
#include <string>

// Calls launch(), whose blocks have as many threads as the option --threads asks for. CUDA reports
// only an invalid argument or configuration if that is more than a block can have; the CudaError of
// this function names the limit too.
inline void launch_in_blocks_of(int threads, const std::function<void()>& launch) {
  try {
    launch();
  } catch (const CudaError& error) {
    int most = 0;
    const bool is_of_sizes =
        error.code() == cudaErrorInvalidValue || error.code() == cudaErrorInvalidConfiguration;
    if (!is_of_sizes ||
        cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerBlock, 0) != cudaSuccess ||
        threads <= most) {
      throw;
    }
    const std::string limit =
        format("\nA block has at most %d threads; --threads asks for %d.", most, threads);
    throw CudaError(error.code(), (error.what() + limit).c_str());
  }
}
