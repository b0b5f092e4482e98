#pragma once

#include <vector>

// The definition that the stages are checked against: out(c, r) = in(r, c), both row-major.
// Plain C++, one thread.
std::vector<float> transpose_reference(const std::vector<float>& in, int rows, int cols);
