// Random numbers, step 02: generated on the device by Philox
//
// Numbers that are generated on the device do not cross the bus. Each thread computes its two
// numbers from their index and the seed (philox.h), so no thread waits for another one, and the
// result does not depend on the number of threads.
//
// Cost: a store of 16 bytes, for two doubles; 20 products of 32 bits by 32.

#include "generate/generate.h"
#include "generate/philox.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

constexpr std::size_t kThreads = 256;

__global__ void generate_philox_kernel(double* __restrict__ x, std::size_t n,
                                       Distribution distribution, std::uint64_t seed) {
  const std::size_t pair = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (2 * pair >= n) return;
  const double2 two = random_pair(pair, distribution, seed);
  if (2 * pair + 1 < n) {
    reinterpret_cast<double2*>(x)[pair] = two;
  } else {
    x[n - 1] = two.x;
  }
}

void generate_doubles(double* d_x, std::size_t n, Distribution distribution, std::uint64_t seed,
                      cudaStream_t stream) {
  if (n == 0) return;  // a grid of 0 blocks is an error
  const auto blocks = static_cast<unsigned>(ceil_div(n, 2 * kThreads));
  generate_philox_kernel<<<blocks, kThreads, 0, stream>>>(d_x, n, distribution, seed);
  CUDA_CHECK(cudaGetLastError());
}

Generator generator() { return {/*is_philox=*/true, /*is_on_host=*/false}; }
