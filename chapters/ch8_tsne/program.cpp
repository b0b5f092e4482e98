#include "program.h"

#include "clusters.h"
#include "csv.h"
#include "host_points.h"
#include "issue_rate.h"
#include "reference.h"

#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "common/measurement.h"
#include "common/program.h"
#include "common/random.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

const std::vector<OptionHelp> kOptions{
    {"--n N", "how many vectors"},
    {"--d D", "how many dimensions they have"},
    {"--layout L", "1: vector after vector, the default; 2: component after component"},
    {"--clusters G", "vectors in G groups, far from the origin; 0, the default: anywhere"},
    {"--input FILE", "the vectors of a CSV file, a line each"},
};

struct Shape {
  int count, dimensions;
};

constexpr Shape kCheckShape{251, 37};  // primes: no tile or vector divides them
constexpr Shape kTimedShape{16384, 300};
// Vectors whose pairs are compared: 32 of 16384 apart, so that each tile of any stage is met.
constexpr std::size_t kMostChosen = 512;

struct Arguments {
  std::optional<int> count, dimensions;
  Layout layout;
  int clusters;
  std::optional<std::string> input;

  Shape shape(const Shape& otherwise) const {
    return {count.value_or(otherwise.count), dimensions.value_or(otherwise.dimensions)};
  }
};

std::optional<int> integer(Options& options, const char* name, int least, int most) {
  const auto value = options.integer(name, least, most);
  return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

Arguments parse(Options& options) {
  const auto count = integer(options, "--n", 1, kMaxCount);
  const auto dimensions = integer(options, "--d", 1, kMaxDimensions);
  const auto layout = integer(options, "--layout", 1, 2);
  const auto clusters = integer(options, "--clusters", 0, kMaxCount);
  const auto input = options.text("--input", "the name of a CSV file");
  if (input && (count || dimensions || clusters)) {
    throw UsageError("--input says which vectors to take; leave out --n, --d and --clusters.");
  }
  return {count, dimensions, layout == 2 ? Layout::kTransposed : Layout::kRowMajor,
          clusters.value_or(0), input};
}

std::string text(const Shape& shape) {
  return format("%d vectors of %d floats", shape.count, shape.dimensions);
}

std::string text(const HostPoints& points) {
  return text(Shape{points.count, points.dimensions}) + (points.layout == Layout::kRowMajor
                                                             ? ", vector after vector"
                                                             : ", component after component");
}

// A subtraction, a multiplication and an addition for each component of each pair.
double operations(const Shape& shape) {
  return 3.0 * static_cast<double>(pair_count(shape.count)) * shape.dimensions;
}

// Throws UsageError if vectors and distances do not fit the device or the host.
void require_memory_for(const Operation& operation, const Shape& shape, const DeviceInfo& device) {
  // In floating point, where no size overflows.
  const double n = shape.count, d = shape.dimensions;
  const double data_bytes = n * d * sizeof(float),
               distances_bytes = n * (n - 1) / 2 * sizeof(float);
  const double workspace =
      static_cast<double>(operation.workspace_bytes(shape.count, shape.dimensions));
  require_memory(device,
                 {data_bytes + distances_bytes + workspace, data_bytes + 2 * distances_bytes},
                 text(shape), [&](double share) {
                   return distances_bytes > data_bytes
                              ? format("About %.0f vectors fit.", n * std::sqrt(share))
                              : format("About %.0f dimensions fit.", d * share);
                 });
}

// All of 0 to count - 1 or, where these are too many, the first, the last, and from each of
// kMostChosen equal stretches one that chance has chosen.
std::vector<int> choose(int count) {
  RandomBits bits(/*seed=*/5);
  const auto size = static_cast<std::size_t>(count), stretches = std::min(size, kMostChosen);
  std::vector<int> chosen;
  for (std::size_t i = 0; i < stretches; ++i) {
    const std::size_t first = size * i / stretches, end = size * (i + 1) / stretches;
    chosen.push_back(static_cast<int>(first + bits() % (end - first)));
  }
  chosen.front() = 0;
  chosen.back() = count - 1;
  return chosen;
}

// Throws UsageError if a squared norm might not fit a float. All distances and centred norms are
// below four times the largest.
void require_range(const HostPoints& points, const std::string& file) {
  float largest = 0;
  for (const float x : points.data) largest = std::max(largest, std::abs(x));
  const double norm = static_cast<double>(largest) * largest * points.dimensions;
  if (4 * norm <= FLT_MAX) return;
  throw UsageError(
      format("%s: components up to %g: their squares are out of a float's range. "
             "Scale the data.",
             file.c_str(), static_cast<double>(largest)));
}

HostPoints make_points(const Arguments& arguments, const Shape& shape, std::uint64_t seed) {
  if (arguments.input) {
    const HostPoints points = read_csv_file(*arguments.input);
    require_range(points, *arguments.input);
    return in_layout(points, arguments.layout);
  }
  if (arguments.clusters > 0) {
    Clusters clusters;
    clusters.groups = arguments.clusters;
    return in_layout(clustered_points(shape.count, shape.dimensions, clusters, seed),
                     arguments.layout);
  }
  return {random_floats(static_cast<std::size_t>(shape.count) * shape.dimensions, seed),
          shape.count, shape.dimensions, arguments.layout};
}

// Vectors, on the host and the device, and their distances, which start as NaN, so that what is not
// written shows.
class Data {
 public:
  Data(const Operation& operation, HostPoints points)
      : operation_(operation),
        h_points_(std::move(points)),
        d_data_(h_points_.data),
        d_distances_(static_cast<std::size_t>(pair_count(h_points_.count))),
        d_workspace_(operation.workspace_bytes(h_points_.count, h_points_.dimensions)) {
    d_distances_.fill_bytes(0xff);
  }

  void run() {
    operation_.run({d_data_.data(), h_points_.count, h_points_.dimensions, h_points_.layout},
                   d_distances_.data(), d_workspace_.data(), nullptr);
  }

  // Throws std::runtime_error if a distance is wrong or a vector has changed. The errors are
  // relative to the distances.
  DistanceError check() const {
    if (d_data_.to_host() != h_points_.data) {
      throw std::runtime_error("WRONG: the kernel changed the vectors.");
    }
    const std::vector<float> h_distances = d_distances_.to_host();
    const auto missing = std::find_if(h_distances.begin(), h_distances.end(),
                                      [](float distance) { return !(distance >= 0); });
    if (missing != h_distances.end()) {
      throw wrong(pair_at(missing - h_distances.begin(), h_points_.count), "not negative",
                  *missing);
    }
    return check_against_reference(h_distances);
  }

 private:
  // Against the reference: all of them if they are few, else the pairs of some of the vectors.
  DistanceError check_against_reference(const std::vector<float>& h_distances) const {
    const std::vector<int> chosen = choose(h_points_.count);
    const int size = static_cast<int>(chosen.size());
    std::vector<float> actual;
    for (int i = 0; i < size; ++i) {
      for (int j = i + 1; j < size; ++j) {
        actual.push_back(h_distances[static_cast<std::size_t>(
            pair_index(chosen[i], chosen[j], h_points_.count))]);
      }
    }
    const Expected expected = distances_reference(h_points_, chosen);
    const ErrorBound bound = operation_.error_bound(h_points_.dimensions);
    const DistanceError error = distance_error(actual, expected, bound.relative_to);
    if (!(error.largest <= bound.largest)) {
      const auto [i, j] = pair_at(static_cast<long long>(error.where), size);
      throw wrong({chosen[i], chosen[j]}, format("%.9g", expected.distances[error.where]),
                  actual[error.where]);
    }
    return distance_error(actual, expected, Scale::kDistance);
  }

  std::runtime_error wrong(const Pair& pair, const std::string& expected, float actual) const {
    return std::runtime_error(format(
        "WRONG for %s: the distance of vectors %d and %d should be %s and is %.9g.",
        text(h_points_).c_str(), pair.i, pair.j, expected.c_str(), static_cast<double>(actual)));
  }

  Operation operation_;
  HostPoints h_points_;
  DeviceBuffer<float> d_data_, d_distances_;
  DeviceBuffer<char> d_workspace_;
};

std::string error_text(const DistanceError& error) {
  return format("largest error %.2g of the distance, rms %.2g", error.largest, error.rms);
}

void run_and_check(const Operation& operation, const HostPoints& points, const Program& program) {
  Data data(operation, points);
  data.run();
  CUDA_CHECK(cudaDeviceSynchronize());  // an error inside the kernel shows here
  const DistanceError error = data.check();
  if (program.prints_csv) return;
  std::printf("%s: %s, as near to the CPU's result as the arithmetic allows\n  %s\n",
              program.name.c_str(), text(points).c_str(), error_text(error).c_str());
}

// The distances and the arithmetic alone, in turn. Checks the result of the timed runs.
Measurement time_beside_issue_rate(const Operation& operation, const HostPoints& points,
                                   int clusters) {
  Data data(operation, points);
  DeviceBuffer<float> d_unused(1);
  double issued = 0;
  const std::vector<Timing> timings =
      time_interleaved({[&] { data.run(); }, [&] { issued = issue_rate(d_unused.data()); }});
  const DistanceError error = data.check();
  return {text(points),
          {{"n", std::to_string(points.count)},
           {"d", std::to_string(points.dimensions)},
           {"layout", points.layout == Layout::kRowMajor ? "1" : "2"},
           {"clusters", std::to_string(clusters)}},
          {timings[0], operations({points.count, points.dimensions})},
          {"arithmetic", "issue", {timings[1], issued}},
          kTflopPerS,
          {error_text(error)},
          MeasuredErrors{error.largest, error.rms}};
}

void run(const Operation& operation, const Program& program, const Arguments& arguments) {
  const auto prepare = [&](const Shape& shape, std::uint64_t seed) {
    if (!arguments.input) require_memory_for(operation, shape, program.device);
    HostPoints points = make_points(arguments, shape, seed);
    require_memory_for(operation, {points.count, points.dimensions}, program.device);
    return points;
  };
  // A timed run checks its own result too, so the shape to time need not be checked before.
  if (!program.is_timed || !arguments.input) {
    const Shape checked = program.is_timed ? kCheckShape : arguments.shape(kCheckShape);
    run_and_check(operation, prepare(checked, /*seed=*/1), program);
  }
  if (program.is_timed) {
    const HostPoints points = prepare(arguments.shape(kTimedShape), /*seed=*/3);
    print_measurement(program, time_beside_issue_rate(operation, points, arguments.clusters));
  }
}

}  // namespace

int run_program(const Operation& operation, int argc, const char* const* argv) {
  return program_main(argc, argv, kOptions, parse,
                      [&](const Program& program, const Arguments& arguments) {
                        run(operation, program, arguments);
                      });
}
