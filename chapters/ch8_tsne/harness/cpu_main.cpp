#include "baselines/cpu.h"
#include "error_bound.h"
#include "baselines/issue_rate.h"
#include "harness/program.h"

#include "common/harness/cpu_baseline.h"
#include "common/device_buffer.h"

#include <cmath>
#include <vector>

namespace {

constexpr int kRepeats = 5;  // of seconds each, on one core

DistanceError check(const HostPoints& points) {
  std::vector<float> distances(static_cast<std::size_t>(pair_count(points.count)), NAN);
  distances_on_cpu(points, distances.data(), cpu_threads());
  return require_right(distances, points, direct_error_bound(points.dimensions));
}

Measurement measure(const HostPoints& points) {
  std::vector<float> distances(static_cast<std::size_t>(pair_count(points.count)), NAN);
  const Timing own = time_on_cpu([&] { distances_on_cpu(points, distances.data(), cpu_threads()); },
                                 [] {}, kRepeats);
  DeviceBuffer<float> d_unused(1);
  double issued = 0;
  const std::vector<Timing> arithmetic =
      time_interleaved({[&] { issued = issue_rate(d_unused.data()); }});
  return measurement(points, own, arithmetic[0], issued,
                     require_right(distances, points, direct_error_bound(points.dimensions)));
}

}  // namespace

int main(int argc, char** argv) {
  return run_task({check, measure, [](int, int) { return std::size_t{0}; }}, argc, argv);
}
