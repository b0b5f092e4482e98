#pragma once

#include <vector>

// The output that a copy_*.cu must produce: the input.
inline std::vector<float> copy_reference(const std::vector<float>& in, int, int) { return in; }
