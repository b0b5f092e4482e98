#include "harness/host_array.h"
#include "harness/problem.h"
#include "host_doubles/host_double.h"
#include "in_place_double.h"

#include "common/harness/cpu_baseline.h"
#include "common/harness/plain_copy.h"

#include <cmath>

namespace {

// Memory is allocated once, outside every timed part.
class DoublesFromHost final : public TimedProblem, public DataOptions<MapData::uniform> {
 public:
  static MemoryNeed memory_need(const MapSize& size, bool is_timed) {
    return arrays_of(size.n, sizeof(double), /*on_device=*/is_timed ? 2 : 1, /*on_host=*/4);
  }

  DoublesFromHost(const MapSize& size, std::uint64_t seed)
      : size_(size),
        x_(map_arguments<double>(size.data, size.n, seed)),
        h_x_(x_, needs_pinned_memory()),
        h_y_(std::vector<double>(size.n, NAN), needs_pinned_memory()),
        d_x_(size.n) {}

  void run() override { host_double_map(h_x_.data(), h_y_.data(), d_x_.data(), size_.n); }

  std::string check() override {
    require_right(h_y_.data(), x_.data(), size_.n, accuracy());
    require_unchanged(h_x_.values(), x_);
    return all_right(size_.n);
  }

  // Timed by the CPU's clock: the copies are part of the work. The plain copy stays on the GPU.
  Timings time() override {
    DeviceBuffer<double> d_copy(size_.n);
    return time_on_cpu_beside([&] { queue_copy(d_copy.data(), d_x_.data(), d_x_.size_bytes()); },
                              [&] { run(); });
  }

  Measurement measurement(const Timings& timings) const override {
    return compared_with_copy(size_, sizeof(double), timings);
  }

 private:
  MapSize size_;
  std::vector<double> x_;
  HostArray<double> h_x_, h_y_;
  DeviceBuffer<double> d_x_;
};

}  // namespace

int main(int argc, char** argv) { return run_program<DoublesFromHost>(argc, argv); }
