#include "baselines/curand_doubles.h"

#include <stdexcept>

void curand_doubles(double*, std::size_t, Distribution, std::uint64_t, cudaStream_t) {
  throw std::runtime_error(
      "this program needs cuRAND, and CMake found none beside nvcc. It is a part of the CUDA "
      "Toolkit; on Debian and Ubuntu, with NVIDIA's packages: apt install libcurand-dev-13-0. Then "
      "configure again. ch7_vector_map_generate_philox makes random numbers without it.");
}
