#include "reduction.h"

#include "common/ceil_div.h"

// The tree's 10 steps, and then an atomic addition for each block of 1024 threads.
SumOrder sum_order(std::size_t size) { return {10 + ceil_div(size, std::size_t{1024}), false}; }
