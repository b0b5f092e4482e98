#pragma once

#include <vector>

// What a copy_*.cu must produce: the input.
inline std::vector<float> copy_reference(const std::vector<float>& in, int, int) { return in; }
