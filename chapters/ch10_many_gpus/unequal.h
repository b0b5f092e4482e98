#pragma once

#include <cstddef>
#include <vector>

// The start of share g if `size` elements are divided among GPUs in proportion to their speeds, so
// all GPUs finish at about the same time. g is from 0 to speeds.size(): share 0 starts at 0, the
// result for speeds.size() is `size`. Each share differs from its exact proportion by at most one
// element. A speed is the work of a GPU per second, in any unit, and greater than 0. size is below
// 2^50.
std::size_t unequal_share_begin(std::size_t size, const std::vector<double>& speeds, std::size_t g);
