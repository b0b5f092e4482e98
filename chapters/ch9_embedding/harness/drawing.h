#pragma once

#include "harness/png.h"

#include <vector>

// A map as a picture of `size` x `size` pixels: a point is a small digit in the colour of its
// label, or a dot where labels are missing or above 9. `points` has x and y of each, all finite; x
// grows to the right and y upwards, in one scale, and all points are inside.
Picture drawing_of(const std::vector<double>& points, const std::vector<int>& labels,
                   int size = 1000);

// Several maps side by side, from left to right, each in a square of its own and in its own scale.
// Points are small squares in the colours of drawing_of(). All maps have as many points.
Picture strip_of(const std::vector<std::vector<double>>& maps, const std::vector<int>& labels,
                 int size = 300);
