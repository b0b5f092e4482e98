#pragma once

#include "harness/host_points.h"

// The distances of distances.h, on `threads` threads of the CPU, of vectors in the host's memory
// and to pair_count(points.count) floats there. Several sums at a time, so that the compiler can
// use vector instructions. The same bits in every run.
void distances_on_cpu(const HostPoints& points, float* distances, unsigned threads);
