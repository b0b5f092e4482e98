#pragma once

#include "harness/input.h"

#include <cstddef>
#include <string>
#include <vector>

// Nearest neighbours on the CPU, as neighbours.h defines them.

// The squared distance of vectors i and j: the same bits as the kernels'.
float float_distance(const LabelledVectors& vectors, std::size_t i, std::size_t j);

// Compares the `kept` neighbours and distances of vector i, in row i of these arrays, with those
// that the CPU finds: all must be equal. Returns the first difference, or an empty string.
std::string wrong_neighbour(const LabelledVectors& vectors, const std::vector<int>& neighbours,
                            const std::vector<float>& distances, int kept, int i);
