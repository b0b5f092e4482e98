#pragma once

#include "harness/input.h"

#include <cstddef>
#include <vector>

// The squared distances of vector i and each of all, in double.
std::vector<double> squared_distances(const LabelledVectors& vectors, std::size_t i);
