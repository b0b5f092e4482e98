#pragma once

#include "distances.h"
#include "error_bound.h"
#include "harness/clusters.h"
#include "harness/csv.h"
#include "harness/host_points.h"
#include "harness/reference.h"

#include "common/harness/issue_rate.h"
#include "common/harness/operation.h"
#include "common/harness/random.h"
#include "common/harness/sample.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// What the operations that compute the distances of all pairs have in common, on the GPU and on the
// CPU: the vectors, the check, the sizes, the options and the ceiling.

// The vectors of a computation: those of a file; or random ones, in `groups` groups far from the
// origin or, with 0 groups, anywhere.
struct VectorSource {
  int groups = 0;
  std::shared_ptr<const HostPoints> file;
};

// The third number of a shape, after those of --n and --d, is that of --layout.
inline Layout layout_of(const Shape& shape) {
  return shape[2] == 0 ? Layout::kRowMajor : Layout::kTransposed;
}

// distances[pair_index(i, j, count)] = squared_distance(vectors, i, j), for all i < j.
struct DistancesComputation : Computation {
  DistancesComputation(const Shape& shape, VectorSource its_source)
      : count(static_cast<int>(shape[0])),
        dimensions(static_cast<int>(shape[1])),
        layout(layout_of(shape)),
        source(std::move(its_source)),
        vectors(this, "vectors", shape[0] * shape[1]),
        distances(this, "distances", static_cast<std::size_t>(pair_count(count))) {}

  virtual ErrorBound bound() const = 0;

  void fill(std::uint64_t seed) override {
    if (source.file) {
      vectors.host = in_layout(*source.file, layout).data;
    } else if (source.groups == 0) {
      vectors.host = random_floats(vectors.count, seed);
    } else {
      Clusters clusters;
      clusters.groups = source.groups;
      vectors.host = in_layout(clustered_points(count, dimensions, clusters, seed), layout).data;
    }
  }

  // Every distance must be a number that is not negative, or NaN where the exact one is. Those of
  // some vectors are compared with the exact ones, in each tile that a stage can have; with few
  // vectors, all. With 16384 vectors, the chosen ones are 16 apart: one per subset of stages 03
  // and 04.
  void expect() override {
    constexpr std::size_t kMostChosen = 1024;
    points = {vectors.host, count, dimensions, layout};
    chosen = count > 0 ? sample_of(count, kMostChosen, /*seed=*/5) : std::vector<int>();
    exact = distances_reference(points, chosen);
    number_in_chosen.assign(static_cast<std::size_t>(count), -1);
    for (std::size_t c = 0; c < chosen.size(); ++c) {
      number_in_chosen[static_cast<std::size_t>(chosen[c])] = static_cast<int>(c);
    }
    distances.expect([this](float value, std::size_t at) { return is_right(value, at); },
                     [this](std::size_t at) {
                       const auto [i, j] = pair_at(static_cast<long long>(at), count);
                       return squared_distance(points, i, j);
                     });
  }
  bool is_right(float value, std::size_t at) const {
    const auto [i, j] = pair_at(static_cast<long long>(at), count);
    const int a = number_in_chosen[static_cast<std::size_t>(i)];
    const int b = number_in_chosen[static_cast<std::size_t>(j)];
    if (a < 0 || b < 0) return value >= 0;
    const auto pair = static_cast<std::size_t>(pair_index(a, b, static_cast<int>(chosen.size())));
    const double right = exact.distances[pair];
    if (std::isnan(right)) return std::isnan(value);
    const double error = std::abs(static_cast<double>(value) - right);
    const double scale = scales(exact, bound().relative_to)[pair];
    return value >= 0 && (static_cast<double>(value) == right || error <= bound().largest * scale);
  }

  // The errors of the distances that were compared, relative to these distances.
  RelativeErrors errors_found() const {
    std::vector<float> found;
    for (std::size_t a = 0; a < chosen.size(); ++a) {
      for (std::size_t b = a + 1; b < chosen.size(); ++b) {
        const long long pair = pair_index(chosen[a], chosen[b], count);
        found.push_back(distances.result[static_cast<std::size_t>(pair)]);
      }
    }
    return distance_errors(found, exact, Scale::kDistance);
  }

  std::string text() const override {
    return format(
        "%d vectors of %d floats, %s", count, dimensions,
        layout == Layout::kRowMajor ? "vector after vector" : "component after component");
  }
  std::string report() const override {
    return text() + ", as near to the CPU's result as the arithmetic allows\n  " + notes()[0];
  }
  std::string place_of(std::size_t at) const override {
    const auto [i, j] = pair_at(static_cast<long long>(at), count);
    return format(" (vectors %d and %d)", i, j);
  }
  std::string facts_of_wrong(std::size_t, double, double) const override {
    std::string facts;
    if (dimensions == 0) facts = "given=no_dimensions";  // the sum does not start at 0
    if (layout == Layout::kTransposed)
      facts += (facts.empty() ? "" : "; ") + std::string("given=transposed");
    return facts;
  }
  // A subtraction, a multiplication and an addition for each component of each pair.
  double work() const override { return 3.0 * static_cast<double>(distances.count) * dimensions; }
  std::vector<std::string> notes() const override {
    return {errors_text(errors_found(), "distance")};
  }
  std::optional<MeasuredErrors> errors() const override {
    const RelativeErrors found = errors_found();
    return MeasuredErrors{found.largest, found.rms};
  }

  int count, dimensions;
  Layout layout;
  VectorSource source;
  Input<float> vectors;
  Output<float> distances;

  HostPoints points{};
  std::vector<int> chosen, number_in_chosen;  // -1: not chosen
  Expected exact;                             // of the chosen vectors
};

// Throws UsageError if a squared norm might not fit a float (all distances and centred norms are
// below four times the largest), or if all squares are so small that a float loses some of their
// digits.
inline void require_range(const HostPoints& points, const std::string& file) {
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

// The source of a program's vectors: --input, or --clusters. Those of the tests are anywhere.
template <typename C>
OwnInput own_vectors(Options& options, const std::function<void(const Shape&)>& refuse) {
  const auto from = [](VectorSource source) {
    return [=](const Shape& shape) { return std::make_unique<C>(shape, source); };
  };
  const auto layout = Options(options).integer<int>("--layout", 1, 2);  // also one of the choices
  const auto groups = options.integer<int>("--clusters", 0, kMaxCount);
  const auto input = options.text("--input", "the name of a CSV file");
  if (!input) return {{}, from({groups.value_or(Clusters{}.groups), nullptr})};
  if (groups || options.has("--n") || options.has("--d")) {
    throw UsageError("--input selects the vectors; leave out --n, --d and --clusters.");
  }
  const std::size_t choice = layout == 2 ? 1 : 0;
  if (refuse) refuse({0, 0, choice});  // before a file is read
  const auto file = std::make_shared<const HostPoints>(read_csv_file(*input));
  require_range(*file, *input);
  const Shape shape{static_cast<std::size_t>(file->count),
                    static_cast<std::size_t>(file->dimensions), choice};
  return {shape, from({0, file})};
}

// C is a DistancesComputation with a constructor C(shape, source).
template <typename C>
Operation distances_operation(const std::function<void(const Shape&)>& refuse = nullptr) {
  Operation operation;
  operation.make = [](const Shape& shape) { return std::make_unique<C>(shape, VectorSource{}); };
  // To check: primes, which are not multiples of a tile or a vector. To time: 134 million pairs.
  operation.extents = {{"--n N", "number of vectors", kMaxCount, 251, 16384},
                       {"--d D", "dimensions per vector", kMaxDimensions, 37, 300}};
  operation.choices = {{"--layout",
                        {{"--layout 1", "vector after vector, the default"},
                         {"--layout 2", "component after component, from 04b on"}},
                        /*is_column=*/false}};
  operation.own_options = {
      {"--clusters G", "vectors in G groups, far from the origin (10); 0: anywhere"},
      {"--input FILE", "the vectors of a CSV file, one per line"}};
  operation.own_input = [=](Options& options) { return own_vectors<C>(options, refuse); };
  operation.refuse = refuse;
  operation.case_name = [](const Shape& shape) {
    const char* const layout = layout_of(shape) == Layout::kRowMajor ? "" : "_transposed";
    return format("n%zu_d%zu%s", shape[0], shape[1], layout);
  };
  operation.ceiling = [](Computation&) {
    return arithmetic_alone("arithmetic", "issue_rate", issue_rate);
  };
  operation.unit = kTflopPerS;
  return operation;
}

// Each of these numbers of vectors and dimensions, in both layouts.
inline std::vector<Shape> in_both_layouts(const std::vector<Shape>& sizes) {
  std::vector<Shape> shapes;
  for (const std::size_t layout : {0, 1}) {
    for (const Shape& size : sizes) shapes.push_back({size[0], size[1], layout});
  }
  return shapes;
}
