#include "common/harness/grid_limit.h"

#include "common/cuda_check.h"
#include "common/harness/format.h"

#include <string>

void launch_for_rows(int rows, const char* flat_stage, const std::function<void()>& launch) {
  constexpr int kMaxGridRows = 65535;
  try {
    launch();
  } catch (const CudaError& error) {
    const bool is_of_sizes =
        error.code() == cudaErrorInvalidValue || error.code() == cudaErrorInvalidConfiguration;
    if (!is_of_sizes || rows <= kMaxGridRows) throw;
    const std::string text = format(
        "%d rows need too many rows of blocks: gridDim.y is at most %d. Use fewer rows, or a stage "
        "with a flat grid, such as %s.\n(%s)",
        rows, kMaxGridRows, flat_stage, error.what());
    throw CudaError(error.code(), text.c_str());
  }
}
