#pragma once

#include "harness/input.h"

#include <cstdint>
#include <vector>

// A start of the descent from the vectors: x and y are their principal components, the coordinates
// along the two directions in which they spread most, scaled so that the standard deviation of x is
// 1e-4. If the spread of y is below a millionth of that of x, y is taken from start_map() with that
// seed instead, because a descent cannot leave a line on which all points are.
std::vector<double> principal_start(const LabelledVectors& vectors, std::uint64_t seed);
