// Random numbers by cuRAND
//
// CUDA's library for random numbers, with its own Philox: the same method, with its numbers in
// another order. Where CMake finds no cuRAND, the program says so and how to get it.
//
// Cost: a call; the generator is made once and kept, as that takes longer than the numbers.

#include "generate.h"

#include "baselines/curand_doubles.h"

void generate_doubles(double* d_x, std::size_t n, Distribution distribution, std::uint64_t seed,
                      cudaStream_t stream) {
  curand_doubles(d_x, n, distribution, seed, stream);
}

Generator generator() { return {/*is_philox=*/false, /*is_on_host=*/false}; }
