#pragma once

#include "generate.h"

#include <cstddef>
#include <cstdint>

// As generate_doubles() in generate.h, in single precision.
//
// generate_philox_floats.cu defines this function.
void generate_floats(float* d_x, std::size_t n, Distribution distribution, std::uint64_t seed,
                     cudaStream_t stream = nullptr);
