#pragma once

#include <functional>

// CUDA reports only an invalid argument or configuration for a launch that is too large. The
// CudaError of these functions also names the limit.

// Calls launch(), whose blocks have as many threads as the option --threads asks for.
void launch_in_blocks_of(int threads, const std::function<void()>& launch);

// Calls launch(), which can map a matrix of `rows` rows to a 2-D grid. gridDim.y is at most 65535,
// and a tall matrix needs more blocks. The error also names `flat_stage`, whose grid has no limit.
void launch_for_rows(int rows, const char* flat_stage, const std::function<void()>& launch);
