#include "harness/program.h"

#include "harness/clusters.h"
#include "harness/csv.h"

#include "common/harness/program.h"
#include "common/harness/random.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

const std::vector<OptionHelp> kOptions{
    {"--n N", "how many vectors"},
    {"--d D", "how many dimensions they have"},
    {"--layout L", "1: vector after vector, the default; 2: component after component"},
    {"--clusters G", "vectors in G groups, far from the origin (10); 0: anywhere"},
    {"--input FILE", "the vectors of a CSV file, a line each"},
};

struct Shape {
  int count, dimensions;
};

constexpr Shape kCheckShape{251, 37};  // primes: no tile or vector divides them
constexpr Shape kTimedShape{16384, 300};
// Vectors whose pairs are compared: of 16384 they are 16 apart, a subset of stages 03 and 04.
constexpr std::size_t kMostChosen = 1024;

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
          clusters.value_or(Clusters{}.groups), input};
}

std::string text(const Shape& shape) {
  return format("%d vectors of %d floats", shape.count, shape.dimensions);
}

std::string text(const HostPoints& points) {
  const bool is_row_major = points.layout == Layout::kRowMajor;
  return text(Shape{points.count, points.dimensions}) +
         (is_row_major ? ", vector after vector" : ", component after component");
}

// Throws UsageError if vectors and distances do not fit the device or the host.
void require_memory_for(const Task& task, const Shape& shape, const DeviceInfo& device) {
  // In floating point, where no size overflows.
  const double n = shape.count, d = shape.dimensions;
  const double data = n * d * sizeof(float), distances = n * (n - 1) / 2 * sizeof(float);
  const double on_device =
      data + distances + static_cast<double>(task.workspace_bytes(shape.count, shape.dimensions));
  require_memory(device, {on_device, 2 * data + distances}, text(shape), [&](double share) {
    // n d + n^2 / 2 floats
    const double fit = std::sqrt(d * d + share * on_device / 2) - d;
    return format("About %.0f vectors of that length fit.", fit);
  });
}

// Throws UsageError if a squared norm might not fit a float (all distances and centred norms are
// below four times the largest), or if all squares are so small that a float loses digits of them.
void require_range(const HostPoints& points, const std::string& file) {
  constexpr float kLeast = 0x1p-50f;  // a difference of 2^-13 of it still has a normal square
  float largest = 0;
  for (const float x : points.data) largest = std::max(largest, std::abs(x));
  const double norm = static_cast<double>(largest) * largest * points.dimensions;
  if (4 * norm <= FLT_MAX && (largest >= kLeast || largest == 0)) return;
  throw UsageError(
      format("%s: components up to %g: their squares are out of a float's range. "
             "Scale the data.",
             file.c_str(), static_cast<double>(largest)));
}

HostPoints read_points(const Arguments& arguments, const Task& task, const DeviceInfo& device) {
  const HostPoints points = read_csv_file(*arguments.input);
  require_memory_for(task, {points.count, points.dimensions}, device);
  require_range(points, *arguments.input);
  return in_layout(points, arguments.layout);
}

HostPoints make_points(const Arguments& arguments, const Shape& shape, const Task& task,
                       const DeviceInfo& device) {
  require_memory_for(task, shape, device);
  const auto [count, dimensions] = shape;
  if (arguments.clusters == 0) {
    return {random_floats(static_cast<std::size_t>(count) * dimensions, /*seed=*/1), count,
            dimensions, arguments.layout};
  }
  Clusters clusters;
  clusters.groups = arguments.clusters;
  return in_layout(clustered_points(count, dimensions, clusters, /*seed=*/1), arguments.layout);
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

std::runtime_error wrong(const HostPoints& points, const Pair& pair, const std::string& expected,
                         float actual) {
  return std::runtime_error(
      format("WRONG for %s: the distance of vectors %d and %d should be %s and is %.9g.",
             text(points).c_str(), pair.i, pair.j, expected.c_str(), static_cast<double>(actual)));
}

std::string error_text(const DistanceError& error) {
  return format("largest error %.2g of the distance, rms %.2g", error.largest, error.rms);
}

void check(const Task& task, const HostPoints& points, const Program& program) {
  const DistanceError error = task.check(points);
  if (program.prints_csv) return;
  std::printf("%s: %s, as near to the CPU's result as the arithmetic allows\n  %s\n",
              program.name.c_str(), text(points).c_str(), error_text(error).c_str());
}

void run(const Task& task, const Program& program, const Arguments& arguments) {
  if (arguments.input) {
    const HostPoints points = read_points(arguments, task, program.device);
    check(task, points, program);
    if (program.is_timed) print_measurement(program, task.measure(points));
    return;
  }
  // A timed run checks its own result too, so the shape to time need not be checked before.
  const Shape checked = program.is_timed ? kCheckShape : arguments.shape(kCheckShape);
  check(task, make_points(arguments, checked, task, program.device), program);
  if (program.is_timed) {
    const Shape timed = arguments.shape(kTimedShape);
    print_measurement(program, task.measure(make_points(arguments, timed, task, program.device)));
  }
}

}  // namespace

DistanceError require_right(const std::vector<float>& distances, const HostPoints& points,
                            const ErrorBound& bound) {
  const auto missing = std::find_if(distances.begin(), distances.end(),
                                    [](float distance) { return !(distance >= 0); });
  if (missing != distances.end()) {
    throw wrong(points, pair_at(missing - distances.begin(), points.count), "0 or more", *missing);
  }

  const std::vector<int> chosen = choose(points.count);
  std::vector<float> actual;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    for (std::size_t j = i + 1; j < chosen.size(); ++j) {
      const long long index = pair_index(chosen[i], chosen[j], points.count);
      actual.push_back(distances[static_cast<std::size_t>(index)]);
    }
  }
  const Expected expected = distances_reference(points, chosen);
  const DistanceError error = distance_error(actual, expected, bound.relative_to);
  if (!(error.largest <= bound.largest)) {
    const auto [i, j] =
        pair_at(static_cast<long long>(error.where), static_cast<int>(chosen.size()));
    throw wrong(points, {chosen[static_cast<std::size_t>(i)], chosen[static_cast<std::size_t>(j)]},
                format("%.9g", expected.distances[error.where]), actual[error.where]);
  }
  return distance_error(actual, expected, Scale::kDistance);
}

Measurement measurement(const HostPoints& points, const Timing& own, const Timing& arithmetic,
                        double issued, const DistanceError& error) {
  // A subtraction, a multiplication and an addition for each component of each pair.
  const double operations = 3.0 * static_cast<double>(pair_count(points.count)) * points.dimensions;
  return {text(points),
          {{"n", std::to_string(points.count)}, {"d", std::to_string(points.dimensions)}},
          {own, operations},
          {"arithmetic", "issue_rate", {arithmetic, issued}},
          kTflopPerS,
          {error_text(error)},
          MeasuredErrors{error.largest, error.rms}};
}

int run_task(const Task& task, int argc, const char* const* argv) {
  return program_main(
      argc, argv, kOptions, parse,
      [&](const Program& program, const Arguments& arguments) { run(task, program, arguments); });
}
