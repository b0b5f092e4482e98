#pragma once

#include "harness/png.h"

#include <vector>

// A map as a picture of `size` x `size` pixels: a point is a small digit in the colour of its
// label, or a dot where labels are missing or above 9. `points` has x and y of each, all finite; x
// grows to the right and y upwards, in one scale, and all points are inside.
Picture drawing_of(const std::vector<double>& points, const std::vector<int>& labels,
                   int size = 1000);
