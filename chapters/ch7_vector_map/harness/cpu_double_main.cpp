#include "baselines/cpu_double.h"
#include "harness/problem.h"

#include "common/harness/cpu_baseline.h"
#include "common/harness/plain_copy.h"

namespace {

class DoublesOnCpu final : public TimedProblem, public DataOptions<MapData::uniform> {
 public:
  static MemoryNeed memory_need(const MapSize& size, bool) {
    return arrays_of(size.n, sizeof(double), /*on_device=*/2, /*on_host=*/2);  // for the copy
  }

  DoublesOnCpu(const MapSize& size, std::uint64_t seed)
      : size_(size), original_(map_arguments<double>(size.data, size.n, seed)), h_x_(original_) {}

  void run() override { map_doubles_on_cpu(h_x_.data(), h_x_.size()); }

  std::string check() override {
    require_right(h_x_.data(), original_.data(), h_x_.size(), kLibraryAccuracy);
    return all_right(h_x_.size());
  }

  // Each run maps the result of the previous one, so x is restored first; that is not timed.
  Timings time() override {
    const DeviceBuffer<double> d_from(h_x_);
    DeviceBuffer<double> d_to(h_x_.size());
    constexpr int kRepeats = 3;  // of several seconds each
    return time_on_cpu_beside([&] { queue_copy(d_to.data(), d_from.data(), d_from.size_bytes()); },
                              [&] { run(); }, [&] { h_x_ = original_; }, kRepeats);
  }

  Measurement measurement(const Timings& timings) const override {
    return compared_with_copy(size_, sizeof(double), timings, {"one thread of the CPU"});
  }

 private:
  MapSize size_;
  std::vector<double> original_, h_x_;
};

}  // namespace

int main(int argc, char** argv) { return run_program<DoublesOnCpu>(argc, argv); }
