// Random floats, step 01: generated on the device by Philox
//
// generate_philox in single precision. A float has 24 digits, so one call of the generator, 128
// bits, is enough for four of them.
//
// Cost: a store of 16 bytes, for four floats: half the stores, and half the calls of the generator.

#include "generate_floats/generate_float.h"
#include "generate/philox.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

constexpr std::size_t kThreads = 256;

__global__ void generate_philox_floats_kernel(float* __restrict__ x, std::size_t n,
                                              Distribution distribution, std::uint64_t seed) {
  const std::size_t group = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (4 * group >= n) return;
  const float4 four = random_four(group, distribution, seed);
  if (4 * group + 3 < n) {
    reinterpret_cast<float4*>(x)[group] = four;
  } else {
    x[4 * group] = four.x;
    if (4 * group + 1 < n) x[4 * group + 1] = four.y;
    if (4 * group + 2 < n) x[4 * group + 2] = four.z;
  }
}

void generate_floats(float* d_x, std::size_t n, Distribution distribution, std::uint64_t seed,
                     cudaStream_t stream) {
  if (n == 0) return;  // a grid of 0 blocks is an error
  const auto blocks = static_cast<unsigned>(ceil_div(n, 4 * kThreads));
  generate_philox_floats_kernel<<<blocks, kThreads, 0, stream>>>(d_x, n, distribution, seed);
  CUDA_CHECK(cudaGetLastError());
}
