#pragma once

#include "harness/input.h"

#include <cstddef>
#include <string>
#include <vector>

// Nearest neighbours on the CPU, as neighbours.h defines them.

// The squared distance of vectors i and j: the same bits as the kernels'.
float float_distance(const LabelledVectors& vectors, std::size_t i, std::size_t j);

// What is wrong with the neighbours and distances of vector i, which are `kept` each in row i of
// these, or nothing: all must be equal to those that the CPU finds.
std::string wrong_neighbour(const LabelledVectors& vectors, const std::vector<int>& neighbours,
                            const std::vector<float>& distances, int kept, int i);
