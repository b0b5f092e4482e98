#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

enum class Distribution { uniform, normal };

// Random numbers for the n doubles at d_x, device memory as cudaMalloc aligns it. n is from 0 to
// kMaxSize of vector_map.h. Uniform: from 0 to 1, all equally likely. Normal: N(0, 1), with mean 0
// and variance 1. The same seed gives the same numbers. Returns once the work is queued on
// `stream`, or is done; throws CudaError if it cannot be launched, and std::runtime_error if the
// required library is missing.
//
// Every generate_*.cu defines the two functions here.
void generate_doubles(double* d_x, std::size_t n, Distribution distribution, std::uint64_t seed,
                      cudaStream_t stream = nullptr);

struct Generator {
  bool is_philox;  // the numbers are those of philox.h
  bool is_on_host;
};
Generator generator();
