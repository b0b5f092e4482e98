#pragma once

#include "harness/input.h"

#include <cstddef>
#include <vector>

// The squared distance of vectors i and j: the same bits as the kernels' of neighbours.h.
float float_distance(const LabelledVectors& vectors, std::size_t i, std::size_t j);

// The squared distances from vector i to all vectors, in double precision.
std::vector<double> squared_distances(const LabelledVectors& vectors, std::size_t i);
