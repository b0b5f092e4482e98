#include "baselines/cpu.h"
#include "harness/problem.h"
#include "harness/reference.h"

#include "common/harness/cpu_baseline.h"
#include "common/harness/plain_copy.h"

#include <cmath>

namespace {

class MapOnCpu final : public TimedProblem, public DataOptions<MapData::wide> {
 public:
  static MemoryNeed memory_need(const MapSize& size, bool) {
    return arrays_of(size.n, sizeof(float), /*on_device=*/2, /*on_host=*/2);  // for the copy
  }

  MapOnCpu(const MapSize& size, std::uint64_t seed)
      : size_(size), h_x_(map_arguments<float>(size.data, size.n, seed)), h_y_(size.n, NAN) {}

  void run() override { map_on_cpu(h_x_.data(), h_y_.data(), h_x_.size(), cpu_threads()); }

  std::string check() override {
    require_right(h_y_.data(), h_x_.data(), h_x_.size(), kCpuAccuracy);
    return all_right(h_x_.size());
  }

  Timings time() override {
    const DeviceBuffer<float> d_from(h_x_);
    DeviceBuffer<float> d_to(h_x_.size());
    return time_on_cpu_beside([&] { queue_copy(d_to.data(), d_from.data(), d_from.size_bytes()); },
                              [&] { run(); });
  }

  Measurement measurement(const Timings& timings) const override {
    return compared_with_copy(size_, sizeof(float), timings,
                              {format("%u thread(s) of the CPU", cpu_threads())});
  }

 private:
  MapSize size_;
  std::vector<float> h_x_, h_y_;
};

}  // namespace

int main(int argc, char** argv) { return run_program<MapOnCpu>(argc, argv); }
