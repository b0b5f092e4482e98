// Random numbers, step 01: generated on the host, and copied
//
// The same numbers as generate_philox, from all cores of the CPU, over the bus from ordinary
// memory.
//
// Cost: 8 bytes per number over the bus. There is no kernel.

#include "generate/generate.h"
#include "generate/philox_doubles.h"

#include "common/cuda_check.h"

#include <vector>

void generate_doubles(double* d_x, std::size_t n, Distribution distribution, std::uint64_t seed,
                      cudaStream_t stream) {
  if (n == 0) return;
  const std::vector<double> h_x = philox_doubles(n, distribution, seed);
  CUDA_CHECK(cudaMemcpyAsync(d_x, h_x.data(), n * sizeof(double), cudaMemcpyHostToDevice, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));  // the copy reads h_x
}

Generator generator() { return {/*is_philox=*/true, /*is_on_host=*/true}; }
