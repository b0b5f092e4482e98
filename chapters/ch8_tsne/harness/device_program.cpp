#include "baselines/issue_rate.h"
#include "harness/program.h"

#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <stdexcept>
#include <vector>

namespace {

// Vectors on the device, and their distances, which start as NaN, so that what is not written
// shows.
class Data {
 public:
  Data(const Operation& operation, const HostPoints& points)
      : operation_(operation),
        points_(points),
        d_data_(points.data),
        d_distances_(static_cast<std::size_t>(pair_count(points.count))),
        d_workspace_(operation.workspace_bytes(points.count, points.dimensions)) {
    d_distances_.fill_bytes(0xff);
  }

  void run() {
    operation_.run({d_data_.data(), points_.count, points_.dimensions, points_.layout},
                   d_distances_.data(), d_workspace_.data(), nullptr);
  }

  // Throws std::runtime_error if a distance is wrong or a vector has changed.
  DistanceError check() const {
    CUDA_CHECK(cudaDeviceSynchronize());  // an error inside the kernel shows here
    if (d_data_.to_host() != points_.data) {
      throw std::runtime_error("WRONG: the kernel changed the vectors.");
    }
    return require_right(d_distances_.to_host(), points_,
                         operation_.error_bound(points_.dimensions));
  }

 private:
  const Operation& operation_;
  const HostPoints& points_;
  DeviceBuffer<float> d_data_, d_distances_;
  DeviceBuffer<char> d_workspace_;
};

DistanceError run_and_check(const Operation& operation, const HostPoints& points) {
  Data data(operation, points);
  data.run();
  return data.check();
}

// The distances and the arithmetic alone, in turn. Checks the result of the timed runs.
Measurement time_beside_issue_rate(const Operation& operation, const HostPoints& points) {
  Data data(operation, points);
  DeviceBuffer<float> d_unused(1);
  double issued = 0;
  const std::vector<Timing> timings =
      time_interleaved({[&] { data.run(); }, [&] { issued = issue_rate(d_unused.data()); }});
  return measurement(points, timings[0], timings[1], issued, data.check());
}

}  // namespace

int run_program(const Operation& operation, int argc, const char* const* argv) {
  const auto check = [&](const HostPoints& points) { return run_and_check(operation, points); };
  const auto measure = [&](const HostPoints& points) {
    return time_beside_issue_rate(operation, points);
  };
  return run_task({check, measure, operation.workspace_bytes}, argc, argv);
}
