#pragma once

#include "distances.h"

// The distances of distances.h, on `threads` threads of the CPU: the vectors and the
// pair_count(points.count) distances are in host memory. It accumulates several sums at a time, so
// that the compiler can use vector instructions. The result is deterministic.
void distances_on_cpu(const Points& points, float* distances, unsigned threads);
