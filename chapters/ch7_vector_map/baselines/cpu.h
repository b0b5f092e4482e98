#pragma once

#include "accuracy.h"

#include <cstddef>

// The same as vector_map() in vector_map.h on `threads` threads of the CPU, in host memory, with
// the arithmetic of shared_reduction.h: its errors are within kCpuAccuracy. On x86 it is compiled
// for several instruction sets, and the program uses the widest that the CPU has.
void map_on_cpu(const float* h_x, float* h_y, std::size_t n, unsigned threads);

constexpr Accuracy kCpuAccuracy{0.75, /*in_ulp_of_larger_term=*/false};
