#pragma once

#include "harness/input.h"

#include <cstddef>
#include <vector>

// The squared distances from vector i to all vectors, in double precision.
std::vector<double> squared_distances(const LabelledVectors& vectors, std::size_t i);
