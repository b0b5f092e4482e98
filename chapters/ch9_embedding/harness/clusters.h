#pragma once

#include "harness/input.h"

#include <cstdint>

// Generates vectors in ten clusters: vector i is in cluster i % 10, which is its label. Each
// cluster has its own centre and width; each component is normally distributed around the centre.
// count and dimensions are at least 1.
LabelledVectors clustered_vectors(int count, int dimensions, std::uint64_t seed);
