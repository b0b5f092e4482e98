#pragma once

#include <cstddef>
#include <vector>

// Where share g begins if `size` things are divided among GPUs in proportion to their speeds, so
// that all are done at about the same time. g is from 0 to speeds.size(): share 0 begins at 0, and
// behind the last one stands `size`. No share is more than one thing away from its exact
// proportion. A speed is what a GPU does in a second, in any unit, and greater than 0. size is
// below 2^50.
std::size_t unequal_share_begin(std::size_t size, const std::vector<double>& speeds, std::size_t g);
