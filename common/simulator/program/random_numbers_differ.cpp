// A kernel may call this: no code that a traced file could contain too, and no memory.

#include "simulator/random_numbers.h"

#include <cstdio>

namespace cuda_simulator {

void say_that_random_numbers_differ() {
  static bool said = false;
  if (__atomic_test_and_set(&said, __ATOMIC_RELAXED)) return;
  std::fflush(stdout);
  std::fputs(
      "CUDA simulator: cuRAND's generator is replaced by Philox, so its numbers differ from "
      "NVIDIA's. Use CURAND_RNG_PSEUDO_PHILOX4_32_10 or curandStatePhilox4_32_10_t for the same "
      "numbers.\n",
      stderr);
}

}  // namespace cuda_simulator
