#include "accuracy.h"
#include "kernel_time.h"
#include "harness/program.h"
#include "harness/reference.h"

#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <chrono>
#include <cstdio>

// A copy moves what a map moves, exactly.
Accuracy accuracy() { return {0, /*in_ulp_of_larger_term=*/false}; }

namespace {

double now_ms() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(now).count();
}

// The work is a copy on the device, which takes what the map of stage 03 takes, or a little less.
double copy_time_ms(std::size_t n) {
  const DeviceBuffer<float> d_x(random_arguments<float>(n, /*seed=*/n));
  DeviceBuffer<float> d_y(n);
  return kernel_time_ms({[&] {
                           CUDA_CHECK(cudaMemcpyAsync(d_y.data(), d_x.data(), d_x.size_bytes(),
                                                      cudaMemcpyDeviceToDevice));
                         },
                         [] { CUDA_CHECK(cudaDeviceSynchronize()); }, now_ms});
}

void print_time(std::size_t n) {
  std::printf("%zu elements: %.4f ms by kernel_time_ms()\n", n, copy_time_ms(n));
}

}  // namespace

int main(int argc, char** argv) {
  return run_program({print_time, nullptr, sizeof(float), /*arrays_on_host=*/1}, argc, argv);
}
