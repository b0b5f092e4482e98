#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

// The integral of the integrand from 0 to 1, estimated from the samples 0 to n - 1 of a seed:
//
//   d_estimate[0]   the mean of the n values y_i = integrand(random_number(seed, i))
//   d_estimate[1]   its standard error: sqrt(sum of (y_i - mean)^2 / (n - 1) / n)
//
// All sums are in double. n is from 2 to kMaxSamples. d_estimate holds 2 doubles in device memory,
// and d_workspace kWorkspaceDoubles, which the function may use for anything. Their values before
// the call do not matter. Returns once the work is queued on `stream`; throws CudaError if it
// cannot be launched.
void monte_carlo(std::uint64_t seed, std::size_t n, double* d_estimate, double* d_workspace,
                 cudaStream_t stream = nullptr);

constexpr std::size_t kMaxSamples = std::size_t{1} << 40;
constexpr std::size_t kWorkspaceDoubles = 2048;

// Number `index` of the sequence of a seed, uniformly distributed in [0, 1). Every thread can
// compute every number, because none depends on the number before it: a counter-based generator.
// This is SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
template <typename Index>
__host__ __device__ double random_number(std::uint64_t seed, Index index) {
  static_assert(sizeof(Index) == sizeof(std::size_t),
                "The index of a sample needs 64 bits, because n can be 2^40: std::size_t.");
  std::uint64_t bits = seed + (static_cast<std::uint64_t>(index) + 1) * 0x9e3779b97f4a7c15u;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
  bits = bits ^ bits >> 31;
  return static_cast<double>(bits >> 11) * 0x1p-53;  // 53 bits: exact in a double
}

// Its integral from 0 to 1 is pi.
__host__ __device__ inline double integrand(double x) { return 4 / (1 + x * x); }
