#pragma once

#include "harness/host_points.h"

// The distances of distances.h, on `threads` threads of the CPU, from vectors in host memory to
// pair_count(points.count) floats in host memory. It accumulates several sums at a time, so that
// the compiler can use vector instructions. The result is deterministic.
void distances_on_cpu(const HostPoints& points, float* distances, unsigned threads);
