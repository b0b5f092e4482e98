#include "baselines/copy.h"
#include "harness/program.h"

#include "common/harness/compare.h"
#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "common/harness/random.h"

#include <stdexcept>
#include <vector>

namespace {

void require_equal(const DeviceBuffer<float>& d_y, const std::vector<float>& h_x) {
  if (find_mismatch(d_y.to_host(), h_x)) throw std::runtime_error("WRONG: y is not x.");
}

void check_copy(int n, int threads) {
  const std::vector<float> h_x = random_floats(n, /*seed=*/1);
  const DeviceBuffer<float> d_x(h_x);
  DeviceBuffer<float> d_y(n);
  d_y.fill_bytes(0xff);  // NaN: what is not written is not equal to anything
  copy(d_x.data(), d_y.data(), n, threads);
  CUDA_CHECK(cudaDeviceSynchronize());
  require_equal(d_y, h_x);
}

Measurement measure_copy(int n, int threads) {
  const std::vector<float> h_x = random_floats(n, /*seed=*/2);
  const DeviceBuffer<float> d_x(h_x);
  DeviceBuffer<float> d_y(n), d_copy(n);
  d_y.fill_bytes(0xff);
  const std::vector<Timing> timings = time_interleaved({
      [&] { copy(d_x.data(), d_y.data(), n, threads); },
      [&] { queue_copy(d_copy.data(), d_x.data(), d_x.size_bytes()); },
  });
  require_equal(d_y, h_x);
  const double bytes = 2.0 * n * sizeof(float);
  return beside_copy(n, {timings[0], bytes}, {timings[1], bytes});
}

}  // namespace

int main(int argc, char** argv) {
  return run_program({check_copy, {2, 2}, measure_copy, {3, 2}}, argc, argv);
}
