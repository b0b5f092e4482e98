#include "harness/program.h"
#include "vector_add.h"

#include "common/harness/compare.h"
#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "common/harness/random.h"

#include <cstddef>
#include <stdexcept>
#include <vector>

namespace {

void check_vector_add(int n, int threads) {
  const std::vector<float> h_x = random_floats(n, /*seed=*/1);
  const std::vector<float> h_y = random_floats(n, /*seed=*/2);
  std::vector<float> expected(n);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = h_x[i] + h_y[i];

  const DeviceBuffer<float> d_x(h_x), d_y(h_y);
  DeviceBuffer<float> d_z(n);
  d_z.fill_bytes(0xff);  // NaN: what is not written is not equal to anything
  vector_add(d_x.data(), d_y.data(), d_z.data(), n, threads);
  CUDA_CHECK(cudaDeviceSynchronize());

  const std::vector<float> h_z = d_z.to_host();
  if (const auto mismatch = find_mismatch(h_z, expected)) {
    throw std::runtime_error("WRONG: " + mismatch_text(*mismatch, "z", h_z, expected));
  }
}

}  // namespace

int main(int argc, char** argv) { return run_program({check_vector_add, {3, 4}}, argc, argv); }
