#include "distances.h"
#include "harness/problem.h"

#include <stdexcept>

namespace {

// The distances start as NaN, which shows distances that are not written.
class SquaredDistances final : public DistancesProblem {
 public:
  static Sizes<PointsSize> sizes(const Asked& asked, bool is_timed) {
    require_layout(asked.layout);
    return DistancesProblem::sizes(asked, is_timed);
  }
  static MemoryNeed memory_need(const PointsSize& size, bool) {
    return need_with(size, workspace_bytes(size.count, size.dimensions));
  }

  SquaredDistances(const PointsSize& size, std::uint64_t seed)
      : DistancesProblem(size, seed),
        d_data_(points_.data),
        d_distances_(static_cast<std::size_t>(pair_count(size.count))),
        d_workspace_(workspace_bytes(size.count, size.dimensions)) {
    d_distances_.fill_bytes(0xff);
  }

  void run() override {
    squared_distances({d_data_.data(), points_.count, points_.dimensions, points_.layout},
                      d_distances_.data(), d_workspace_.data());
  }

  Timings time() override {
    return time_beside([&] { queue_ceiling(); }, [&] { run(); });
  }

 protected:
  std::vector<float> distances() override {
    if (d_data_.to_host() != points_.data) {
      throw std::runtime_error("WRONG: the kernel changed the vectors.");
    }
    return d_distances_.to_host();
  }
  ErrorBound bound() const override { return error_bound(points_.dimensions); }

 private:
  // Throws UsageError if the stage does not support that layout. Without vectors a stage only
  // checks its arguments.
  static void require_layout(Layout layout) {
    try {
      squared_distances({nullptr, 0, 0, layout}, nullptr, nullptr);
    } catch (const std::invalid_argument& error) {
      throw UsageError(error.what());
    }
  }

  DeviceBuffer<float> d_data_, d_distances_;
  DeviceBuffer<char> d_workspace_;
};

}  // namespace

int main(int argc, char** argv) { return run_program<SquaredDistances>(argc, argv); }
