#pragma once

#include "harness/input.h"

#include <cstdint>
#include <vector>

// A start of the descent from the vectors: their principal components, the two directions in which
// they spread most, scaled so that the standard deviation along the first is 1e-4. x and y of each
// vector. A direction in which they hardly spread, below a millionth of the first, has the
// coordinates of start_map() with that seed instead: no descent leaves a line on which all points
// are.
std::vector<double> principal_start(const LabelledVectors& vectors, std::uint64_t seed);
