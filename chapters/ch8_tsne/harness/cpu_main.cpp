#include "baselines/cpu.h"
#include "error_bound.h"
#include "harness/problem.h"

#include "common/harness/cpu_baseline.h"

#include <cmath>

namespace {

class DistancesOnCpu final : public DistancesProblem {
 public:
  static MemoryNeed memory_need(const PointsSize& size, bool) { return need_with(size, 0); }

  DistancesOnCpu(const PointsSize& size, std::uint64_t seed)
      : DistancesProblem(size, seed),
        distances_(static_cast<std::size_t>(pair_count(size.count)), NAN) {}

  void run() override { distances_on_cpu(points_, distances_.data(), cpu_threads()); }

  Timings time() override {
    constexpr int kRepeats = 5;  // of several seconds each, on one core
    return time_on_cpu_beside([&] { queue_ceiling(); }, [&] { run(); }, [] {}, kRepeats);
  }

 protected:
  std::vector<float> distances() override { return distances_; }
  ErrorBound bound() const override { return direct_error_bound(points_.dimensions); }

 private:
  std::vector<float> distances_;
};

}  // namespace

int main(int argc, char** argv) { return run_program<DistancesOnCpu>(argc, argv); }
