#include "harness/host_array.h"
#include "host_map.h"
#include "harness/program.h"
#include "harness/reference.h"

#include "common/harness/cpu_baseline.h"
#include "common/device_buffer.h"

#include <cmath>

namespace {

// Memory is allocated once, and that is not part of any time: to pin memory takes longer than to
// copy it.
class Data {
 public:
  explicit Data(std::size_t n)
      : x_(random_arguments<float>(n, /*seed=*/n)),
        h_x_(x_, wants_pinned_memory()),
        h_y_(std::vector<float>(n, NAN), wants_pinned_memory()),
        d_x_(n),
        d_y_(n) {}

  void run() { host_map(h_x_.data(), h_y_.data(), d_x_.data(), d_y_.data(), x_.size()); }
  void copy_on_device() {
    CUDA_CHECK(
        cudaMemcpyAsync(d_y_.data(), d_x_.data(), d_x_.size_bytes(), cudaMemcpyDeviceToDevice));
  }
  void check() {
    require_right(h_y_.data(), x_.data(), x_.size());
    require_unchanged(h_x_.values(), x_);
  }

 private:
  std::vector<float> x_;
  HostArray h_x_, h_y_;
  DeviceBuffer<float> d_x_, d_y_;
};

void check_host_map(std::size_t n) {
  Data data(n);
  data.run();
  data.check();
}

// By the CPU's clock, as the copies are part of it; the copy beside it stays on the GPU.
Measurement measure_host_map(std::size_t n) {
  Data data(n);
  const Timing own = time_on_cpu([&] { data.run(); });
  data.check();
  const std::vector<Timing> copy = time_interleaved({[&] { data.copy_on_device(); }});
  return beside_copy(n, sizeof(float), own, copy[0]);
}

}  // namespace

int main(int argc, char** argv) {
  return run_program({check_host_map, measure_host_map, sizeof(float), /*arrays_on_host=*/4}, argc,
                     argv);
}
