#include "in_place.h"
#include "harness/program.h"
#include "harness/reference.h"

#include "common/cuda_check.h"
#include "common/device_buffer.h"

namespace {

void check_in_place(std::size_t n) {
  const std::vector<float> h_x = random_arguments<float>(n, /*seed=*/n);
  DeviceBuffer<float> d_x(h_x);
  map_in_place(d_x.data(), n);
  CUDA_CHECK(cudaDeviceSynchronize());
  require_right(d_x.to_host().data(), h_x.data(), n);
}

// Each run maps the result of the one before, which may lie outside kMaxX; so x is put back first,
// and the copy that does it, of as many bytes, is the ceiling.
Measurement measure_in_place(std::size_t n) {
  const std::vector<float> h_x = random_arguments<float>(n, /*seed=*/n);
  const DeviceBuffer<float> d_original(h_x);
  DeviceBuffer<float> d_x(n);
  const std::vector<Timing> timings = time_interleaved({
      [&] {
        CUDA_CHECK(cudaMemcpyAsync(d_x.data(), d_original.data(), d_x.size_bytes(),
                                   cudaMemcpyDeviceToDevice));
      },
      [&] { map_in_place(d_x.data(), n); },
  });
  require_right(d_x.to_host().data(), h_x.data(), n);
  return beside_copy(n, sizeof(float), timings[1], timings[0]);
}

}  // namespace

int main(int argc, char** argv) {
  return run_program({check_in_place, measure_in_place, sizeof(float), /*arrays_on_host=*/2}, argc,
                     argv);
}
