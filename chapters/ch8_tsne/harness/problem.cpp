#include "harness/problem.h"

#include "baselines/issue_rate.h"
#include "harness/clusters.h"
#include "harness/csv.h"
#include "harness/reference.h"

#include "common/harness/random.h"
#include "common/harness/sample.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>

namespace {

std::string text(int count, int dimensions) {
  return format("%d vectors of %d floats", count, dimensions);
}

std::string text(const HostPoints& points) {
  const bool is_row_major = points.layout == Layout::kRowMajor;
  return text(points.count, points.dimensions) +
         (is_row_major ? ", vector after vector" : ", component after component");
}

// Throws UsageError if a squared norm might not fit a float (all distances and centred norms are
// below four times the largest), or if all squares are so small that a float loses some of their
// digits.
void require_range(const HostPoints& points, const std::string& file) {
  constexpr float kLeast = 0x1p-50f;  // a difference of 2^-13 times this still has a normal square
  float largest = 0;
  for (const float x : points.data) largest = std::max(largest, std::abs(x));
  const double norm = static_cast<double>(largest) * largest * points.dimensions;
  if (4 * norm <= FLT_MAX && (largest >= kLeast || largest == 0)) return;
  throw UsageError(
      format("%s: components up to %g: their squares are out of a float's range. "
             "Scale the data.",
             file.c_str(), static_cast<double>(largest)));
}

HostPoints make_points(const PointsSize& size, std::uint64_t seed) {
  if (size.file) return in_layout(*size.file, size.layout);
  if (size.clusters == 0) {
    const auto components = static_cast<std::size_t>(size.count) * size.dimensions;
    return {random_floats(components, seed), size.count, size.dimensions, size.layout};
  }
  Clusters clusters;
  clusters.groups = size.clusters;
  return in_layout(clustered_points(size.count, size.dimensions, clusters, seed), size.layout);
}

std::runtime_error wrong(const HostPoints& points, const Pair& pair, const std::string& expected,
                         float actual) {
  return std::runtime_error(
      format("WRONG for %s: the distance of vectors %d and %d should be %s and is %.9g.",
             text(points).c_str(), pair.i, pair.j, expected.c_str(), static_cast<double>(actual)));
}

}  // namespace

std::vector<OptionHelp> DistancesProblem::options() {
  return {{"--n N", "number of vectors"},
          {"--d D", "dimensions per vector"},
          {"--layout L",
           "1: vector after vector, the default; 2: component after component, from 04b on"},
          {"--clusters G", "vectors in G groups, far from the origin (10); 0: anywhere"},
          {"--input FILE", "the vectors of a CSV file, one per line"}};
}

DistancesProblem::Asked DistancesProblem::parse(Options& options) {
  const auto count = options.integer<int>("--n", 1, kMaxCount);
  const auto dimensions = options.integer<int>("--d", 1, kMaxDimensions);
  const auto layout = options.integer<int>("--layout", 1, 2);
  const auto clusters = options.integer<int>("--clusters", 0, kMaxCount);
  const auto input = options.text("--input", "the name of a CSV file");
  if (input && (count || dimensions || clusters)) {
    throw UsageError("--input selects the vectors; leave out --n, --d and --clusters.");
  }
  return {count, dimensions, layout == 2 ? Layout::kTransposed : Layout::kRowMajor,
          clusters.value_or(Clusters{}.groups), input};
}

Sizes<PointsSize> DistancesProblem::sizes(const Asked& asked, bool is_timed) {
  if (asked.input) {
    const auto file = std::make_shared<const HostPoints>(read_csv_file(*asked.input));
    require_range(*file, *asked.input);
    const PointsSize size{file->count, file->dimensions, asked.layout, 0, file};
    return {size, size};
  }
  // To check: primes, which are not multiples of a tile or vector.
  const auto count = sizes_of(asked.count, /*to_check=*/251, /*to_time=*/16384, is_timed);
  const auto dimensions = sizes_of(asked.dimensions, /*to_check=*/37, /*to_time=*/300, is_timed);
  return {{count.checked, dimensions.checked, asked.layout, asked.clusters, nullptr},
          {count.timed, dimensions.timed, asked.layout, asked.clusters, nullptr}};
}

MemoryNeed DistancesProblem::need_with(const PointsSize& size, std::size_t workspace_bytes) {
  // In floating point, where no size overflows.
  const double n = size.count, d = size.dimensions;
  const double data = n * d * sizeof(float), distances = n * (n - 1) / 2 * sizeof(float);
  const double on_device = data + distances + static_cast<double>(workspace_bytes);
  const int copies_on_host = size.file ? 3 : 2;  // the file's, these, and these after the run
  return {text(size.count, size.dimensions), on_device, copies_on_host * data + distances,
          [=](double share) {
            // n d + n^2 / 2 floats
            const double fit = std::sqrt(d * d + share * on_device / 2) - d;
            return format("About %.0f vectors of that length fit.", fit);
          }};
}

DistancesProblem::DistancesProblem(const PointsSize& size, std::uint64_t seed)
    : points_(make_points(size, seed)) {}

std::string DistancesProblem::check() {
  errors_ = require_right(distances(), points_, bound());
  return text(points_) + ", as near to the CPU's result as the arithmetic allows\n  " +
         errors_text(errors_, "distance");
}

void DistancesProblem::queue_ceiling() { issued_ = issue_rate(d_unused_.data()); }

Measurement DistancesProblem::measurement(const Timings& timings) const {
  const auto [count, dimensions] = std::pair(points_.count, points_.dimensions);
  // A subtraction, a multiplication and an addition for each component of each pair.
  const double operations = 3.0 * static_cast<double>(pair_count(count)) * dimensions;
  return {text(points_),
          {{"n", std::to_string(count)}, {"d", std::to_string(dimensions)}},
          {timings.own, operations},
          {"arithmetic", "issue_rate", {timings.ceiling, issued_}},
          kTflopPerS,
          {errors_text(errors_, "distance")},
          MeasuredErrors{errors_.largest, errors_.rms}};
}

RelativeErrors require_right(const std::vector<float>& distances, const HostPoints& points,
                             const ErrorBound& bound) {
  const auto missing = std::find_if(distances.begin(), distances.end(),
                                    [](float distance) { return !(distance >= 0); });
  if (missing != distances.end()) {
    throw wrong(points, pair_at(missing - distances.begin(), points.count), "0 or more", *missing);
  }

  // With 16384 vectors, the chosen ones are 16 apart: one per subset of stages 03 and 04.
  constexpr std::size_t kMostChosen = 1024;
  const std::vector<int> chosen = sample_of(points.count, kMostChosen, /*seed=*/5);
  std::vector<float> actual;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    for (std::size_t j = i + 1; j < chosen.size(); ++j) {
      const long long index = pair_index(chosen[i], chosen[j], points.count);
      actual.push_back(distances[static_cast<std::size_t>(index)]);
    }
  }
  const Expected expected = distances_reference(points, chosen);
  const RelativeErrors errors = distance_errors(actual, expected, bound.relative_to);
  if (!(errors.largest <= bound.largest)) {
    const auto [i, j] =
        pair_at(static_cast<long long>(errors.where), static_cast<int>(chosen.size()));
    throw wrong(points, {chosen[static_cast<std::size_t>(i)], chosen[static_cast<std::size_t>(j)]},
                format("%.9g", expected.distances[errors.where]), actual[errors.where]);
  }
  return distance_errors(actual, expected, Scale::kDistance);
}
