#pragma once

#include "harness/input.h"

#include <cstdint>

// Made-up vectors in ten clusters: vector i is in cluster i % 10, which is its label. Cluster k has
// a centre of its own, and its vectors are around it, each component by a normal distribution; the
// clusters are not equally wide. count and dimensions are at least 1.
LabelledVectors clustered_vectors(int count, int dimensions, std::uint64_t seed);
