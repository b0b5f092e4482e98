#include "common/harness/launch_limits.h"

#include "common/cuda_check.h"
#include "common/harness/format.h"

#include <string>

static bool is_of_sizes(const CudaError& error) {
  return error.code() == cudaErrorInvalidValue || error.code() == cudaErrorInvalidConfiguration;
}

void launch_in_blocks_of(int threads, const std::function<void()>& launch) {
  try {
    launch();
  } catch (const CudaError& error) {
    int most = 0;
    if (!is_of_sizes(error) ||
        cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerBlock, 0) != cudaSuccess ||
        threads <= most) {
      throw;
    }
    const std::string limit =
        format("\nA block has at most %d threads; --threads asks for %d.", most, threads);
    throw CudaError(error.code(), (error.what() + limit).c_str());
  }
}

void launch_for_rows(int rows, const char* flat_stage, const std::function<void()>& launch) {
  constexpr int kMaxGridRows = 65535;
  try {
    launch();
  } catch (const CudaError& error) {
    if (!is_of_sizes(error) || rows <= kMaxGridRows) throw;
    const std::string text = format(
        "%d rows need too many rows of blocks: gridDim.y is at most %d. Use fewer rows, or a stage "
        "with a flat grid, such as %s.\n(%s)",
        rows, kMaxGridRows, flat_stage, error.what());
    throw CudaError(error.code(), text.c_str());
  }
}
