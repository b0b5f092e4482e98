#pragma once

#include "harness/program.h"
#include "harness/reference.h"

#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <vector>

// The main() of what maps an array of device memory: `map` is vector_map or double_map.
template <typename T, typename Map>
int run_device_map(const Map& map, int argc, const char* const* argv) {
  const auto run_and_check = [&](std::size_t n, const auto& run) {
    const std::vector<T> h_x = random_arguments<T>(n, /*seed=*/n);
    const DeviceBuffer<T> d_x(h_x);
    DeviceBuffer<T> d_y(n);
    d_y.fill_bytes(0xff);  // NaN: what is not written is not right
    run(d_x, d_y);
    CUDA_CHECK(cudaDeviceSynchronize());  // an error inside the kernel shows here
    require_right(d_y.to_host().data(), h_x.data(), n);
    require_unchanged(d_x.to_host(), h_x);
  };
  const auto check = [&](std::size_t n) {
    run_and_check(n, [&](const auto& d_x, auto& d_y) { map(d_x.data(), d_y.data(), n, nullptr); });
  };
  const auto measure = [&](std::size_t n) {
    std::vector<Timing> timings;
    run_and_check(n, [&](const auto& d_x, auto& d_y) {
      DeviceBuffer<T> d_copy(n);
      timings = time_interleaved({
          [&] { map(d_x.data(), d_y.data(), n, nullptr); },
          [&] {
            CUDA_CHECK(cudaMemcpyAsync(d_copy.data(), d_x.data(), d_x.size_bytes(),
                                       cudaMemcpyDeviceToDevice));
          },
      });
    });
    return beside_copy(n, sizeof(T), timings[0], timings[1]);
  };
  return run_program({check, measure, sizeof(T), /*arrays_on_host=*/2}, argc, argv);
}
