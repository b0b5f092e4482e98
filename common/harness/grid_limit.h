#pragma once

#include <functional>

// Calls launch(), which can map a matrix of `rows` rows to a 2-D grid. gridDim.y is at most 65535,
// and a tall matrix needs more blocks. CUDA reports only an invalid argument for such a launch; the
// CudaError of this function names the rows, the limit, and `flat_stage`, whose grid has no limit.
void launch_for_rows(int rows, const char* flat_stage, const std::function<void()>& launch);
