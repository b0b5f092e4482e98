#pragma once

#include "common/cuda_check.h"
#include "common/harness/format.h"

#include <functional>
#include <string>

// Calls launch(), which may put a matrix of `rows` rows on a 2-D grid. gridDim.y is at most 65535,
// fewer blocks than a tall matrix needs. The CudaError of such a launch says only that an argument
// is invalid; this one names the rows, the limit, and `flat_stage`, whose grid has no such limit.
inline void launch_for_rows(int rows, const char* flat_stage, const std::function<void()>& launch) {
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
