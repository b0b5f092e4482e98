#include "harness/host_array.h"
#include "harness/problem.h"
#include "harness/reference.h"
#include "host/host_map.h"
#include "vector_map.h"

#include "common/harness/cpu_baseline.h"
#include "common/harness/plain_copy.h"

#include <cmath>

namespace {

// Memory is allocated once, outside every timed part: pinning it takes longer than copying it.
class HostMap final : public TimedProblem, public DataOptions<MapData::wide> {
 public:
  static MemoryNeed memory_need(const MapSize& size, bool) {
    return arrays_of(size.n, sizeof(float), /*on_device=*/2, /*on_host=*/4);
  }

  HostMap(const MapSize& size, std::uint64_t seed)
      : size_(size),
        x_(map_arguments<float>(size.data, size.n, seed)),
        h_x_(x_, needs_pinned_memory()),
        h_y_(std::vector<float>(size.n, NAN), needs_pinned_memory()),
        d_x_(size.n),
        d_y_(size.n) {}

  void run() override { host_map(h_x_.data(), h_y_.data(), d_x_.data(), d_y_.data(), x_.size()); }

  std::string check() override {
    require_right(h_y_.data(), x_.data(), x_.size(), accuracy());
    require_unchanged(h_x_.values(), x_);
    return all_right(x_.size());
  }

  // Timed by the CPU's clock: the copies are part of the work. The plain copy stays on the GPU.
  Timings time() override {
    return time_on_cpu_beside([&] { queue_copy(d_y_.data(), d_x_.data(), d_x_.size_bytes()); },
                              [&] { run(); });
  }

  Measurement measurement(const Timings& timings) const override {
    return compared_with_copy(size_, sizeof(float), timings);
  }

 private:
  MapSize size_;
  std::vector<float> x_;
  HostArray<float> h_x_, h_y_;
  DeviceBuffer<float> d_x_, d_y_;
};

}  // namespace

int main(int argc, char** argv) { return run_program<HostMap>(argc, argv); }
