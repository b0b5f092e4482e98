#pragma once

#include "generate.h"

// As generate_doubles() in generate.h, by cuRAND, if CMake found it, which is curand/library.cpp;
// else throws std::runtime_error, which is curand/missing.cpp.
void curand_doubles(double* d_x, std::size_t n, Distribution distribution, std::uint64_t seed,
                    cudaStream_t stream);
