#pragma once

#include "accuracy.h"

#include <cstddef>

// x(i) = tan x(i) + 3 sin x(i) for i from 0 to n - 1, in place, in host memory, with the C
// library's functions. cpu_doubles.cu defines it.
void map_doubles_on_cpu(double* h_x, std::size_t n);

// The C library's manual: tan and sin 1 ulp; the rest as in 01_accurate.cu.
constexpr Accuracy kLibraryAccuracy{1 + 1.5 + 0.5 + 1, /*in_ulp_of_larger_term=*/true};
