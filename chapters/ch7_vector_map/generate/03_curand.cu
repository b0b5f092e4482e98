// Random numbers, step 03: generated on the device by cuRAND
//
// CUDA's library for random numbers has its own Philox: the same method, with the numbers in a
// different order.
//
// Cost: one call. The generator is created once, because that takes longer than the numbers.
//
// Requires: cuRAND

#include "generate/generate.h"

#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <curand.h>

#include <stdexcept>
#include <string>

namespace {

void check(curandStatus_t status, const char* call) {
  if (status == CURAND_STATUS_SUCCESS) return;
  throw std::runtime_error(std::string(call) + " failed with cuRAND's status " +
                           std::to_string(static_cast<int>(status)) + ".");
}

// Owns a cuRAND generator.
class CurandGenerator {
 public:
  CurandGenerator() {
    check(curandCreateGenerator(&generator_, CURAND_RNG_PSEUDO_PHILOX4_32_10),
          "curandCreateGenerator");
  }
  ~CurandGenerator() { curandDestroyGenerator(generator_); }  // a destructor must not throw
  CurandGenerator(const CurandGenerator&) = delete;
  CurandGenerator& operator=(const CurandGenerator&) = delete;

  // Continues with the first number of a seed.
  void restart(std::uint64_t seed, cudaStream_t stream) {
    check(curandSetStream(generator_, stream), "curandSetStream");
    check(curandSetPseudoRandomGeneratorSeed(generator_, seed),
          "curandSetPseudoRandomGeneratorSeed");
    check(curandSetGeneratorOffset(generator_, 0), "curandSetGeneratorOffset");
  }

  void fill(double* d_x, std::size_t n, Distribution distribution) {
    if (distribution == Distribution::uniform) {
      check(curandGenerateUniformDouble(generator_, d_x, n), "curandGenerateUniformDouble");
    } else {
      check(curandGenerateNormalDouble(generator_, d_x, n, /*mean=*/0, /*stddev=*/1),
            "curandGenerateNormalDouble");
    }
  }

 private:
  curandGenerator_t generator_ = nullptr;
};

}  // namespace

void generate_doubles(double* d_x, std::size_t n, Distribution distribution, std::uint64_t seed,
                      cudaStream_t stream) {
  static CurandGenerator generator;
  generator.restart(seed, stream);
  const std::size_t even = n / 2 * 2;  // cuRAND generates normal numbers only in pairs
  if (even > 0) generator.fill(d_x, even, distribution);
  if (even == n) return;
  DeviceBuffer<double> d_last(2);
  generator.fill(d_last.data(), 2, distribution);
  CUDA_CHECK(
      cudaMemcpyAsync(d_x + even, d_last.data(), sizeof(double), cudaMemcpyDeviceToDevice, stream));
}

Generator generator() { return {/*is_philox=*/false, /*is_on_host=*/false}; }
