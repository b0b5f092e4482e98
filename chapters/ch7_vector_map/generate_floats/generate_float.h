#pragma once

#include "generate/generate.h"

#include <cstddef>
#include <cstdint>

// The same as generate_doubles() in generate.h, in single precision.
//
// generate_floats/01_philox.cu defines this function.
void generate_floats(float* d_x, std::size_t n, Distribution distribution, std::uint64_t seed,
                     cudaStream_t stream = nullptr);
