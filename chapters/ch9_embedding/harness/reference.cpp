#include "harness/reference.h"

#include "common/harness/cpu_baseline.h"
#include "common/harness/normal_doubles.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace {

struct PointPair {
  double dx, dy, q;
};
PointPair pair_of(const std::vector<double>& points, std::size_t i, std::size_t j) {
  const double dx = points[2 * i] - points[2 * j], dy = points[2 * i + 1] - points[2 * j + 1];
  return {dx, dy, 1 / (1 + dx * dx + dy * dy)};
}

// The sum of all q(i, j), each pair twice, without the q(i, i). It has the same bits for any number
// of threads. With few points a thread costs more than it saves.
double normaliser(const std::vector<double>& points) {
  constexpr std::size_t kFewest = 1000;
  const std::size_t count = points.size() / 2, pairs = (count + 1) / 2;
  std::vector<double> rows(count);
  const auto add_up = [&](std::size_t i) {
    for (std::size_t j = 0; j < i; ++j) rows[i] += pair_of(points, i, j).q;
  };
  // Pairs of a short row and a long one, so all chunks take equally long.
  for_each_chunk(pairs, count < kFewest ? 1 : cpu_cores(),
                 [&](unsigned, std::size_t first, std::size_t last) {
                   for (std::size_t i = first; i < last; ++i) {
                     add_up(i);
                     if (count - 1 - i != i) add_up(count - 1 - i);
                   }
                 });
  double z = 0;
  for (const double row : rows) z += 2 * row;
  return z;
}

}  // namespace

ReferenceMap start_map(int count, std::uint64_t seed) {
  ReferenceMap map;
  map.points = normal_doubles(2 * static_cast<std::size_t>(count), seed);
  for (double& x : map.points) x = static_cast<float>(1e-4 * x);
  map.steps.assign(map.points.size(), 0);
  map.gains.assign(map.points.size(), 1);
  return map;
}

ReferenceGradient gradient_reference(const HostAffinities& affinities,
                                     const std::vector<double>& points, double exaggeration,
                                     const std::vector<int>& chosen) {
  const std::size_t count = points.size() / 2;
  ReferenceGradient gradient{{}, {}, normaliser(points)};
  for (const int point : chosen) {
    const auto i = static_cast<std::size_t>(point);
    double value[2] = {}, magnitude[2] = {};
    const auto add = [&](double weight, const PointPair& pair) {
      value[0] += 4 * weight * pair.dx;
      value[1] += 4 * weight * pair.dy;
      magnitude[0] += 4 * std::abs(weight * pair.dx);
      magnitude[1] += 4 * std::abs(weight * pair.dy);
    };
    for (int at = affinities.starts[i]; at < affinities.starts[i + 1]; ++at) {
      const auto entry = static_cast<std::size_t>(at);
      const PointPair pair =
          pair_of(points, i, static_cast<std::size_t>(affinities.neighbours[entry]));
      add(exaggeration * static_cast<double>(affinities.values[entry]) * pair.q, pair);
    }
    for (std::size_t j = 0; j < count; ++j) {
      const PointPair pair = pair_of(points, i, j);
      add(-pair.q * pair.q / gradient.z, pair);
    }
    gradient.values.insert(gradient.values.end(), value, value + 2);
    gradient.magnitudes.insert(gradient.magnitudes.end(), magnitude, magnitude + 2);
  }
  return gradient;
}

ReferenceGradient gradient_reference(const HostAffinities& affinities,
                                     const std::vector<double>& points, double exaggeration) {
  std::vector<int> all(points.size() / 2);
  std::iota(all.begin(), all.end(), 0);
  return gradient_reference(affinities, points, exaggeration, all);
}

double gradient_bound(int count, double z) {
  constexpr double kUnit = 0x1p-24;
  const double term = 1 + 2 * 8 + 4, sum = count;
  const double of_z = (8 + sum) * (1 + count / z);
  return (term + sum + of_z + 4) * kUnit;
}

std::vector<double> gradient_tolerances(const ReferenceGradient& expected,
                                        const std::vector<double>& points,
                                        const std::vector<int>& chosen, double slack) {
  const double bound = gradient_bound(static_cast<int>(points.size() / 2), expected.z);
  std::vector<double> tolerances;
  for (const double magnitude : expected.magnitudes) tolerances.push_back(bound * magnitude);
  if (slack == 0) return tolerances;
  constexpr double kSpaces = 508;
  double extent = 0;
  for (const double x : points) extent = std::max(extent, std::abs(x));
  const double share = slack * std::pow(2 * extent / kSpaces, 4);
  const double largest = *std::max_element(expected.magnitudes.begin(), expected.magnitudes.end());
  for (std::size_t k = 0; k < tolerances.size(); ++k) {
    const auto i = static_cast<std::size_t>(chosen[k / 2]);
    double cubes = 0;
    for (std::size_t j = 0; j < points.size() / 2; ++j) {
      const double q = pair_of(points, i, j).q;
      cubes += q * q * q;
    }
    // The relative error of Z is at most that share, because q^3 is below q.
    tolerances[k] += share * (4 * cubes / expected.z + expected.magnitudes[k]) + 0x1p-18 * largest;
  }
  return tolerances;
}

void descend_reference(const HostAffinities& affinities, const Schedule& schedule, int first,
                       int last, ReferenceMap& map) {
  const auto rate = static_cast<double>(schedule.learning_rate);
  for (int iteration = first; iteration < last; ++iteration) {
    const auto exaggeration = static_cast<double>(exaggeration_at(schedule, iteration));
    const auto momentum = static_cast<double>(momentum_at(schedule, iteration));
    const ReferenceGradient gradient = gradient_reference(affinities, map.points, exaggeration);
    for (std::size_t k = 0; k < map.points.size(); ++k) {
      const bool keeps = gradient.values[k] * map.steps[k] < 0;  // the direction
      map.gains[k] = std::max(0.01, keeps ? map.gains[k] + 0.2 : map.gains[k] * 0.8);
      map.steps[k] = momentum * map.steps[k] - rate * map.gains[k] * gradient.values[k];
      map.points[k] += map.steps[k];
    }
  }
}

double kl_divergence(const HostAffinities& affinities, const std::vector<double>& points) {
  const double z = normaliser(points);
  double sum = 0;
  for (std::size_t i = 0; i < points.size() / 2; ++i) {
    for (int at = affinities.starts[i]; at < affinities.starts[i + 1]; ++at) {
      const auto entry = static_cast<std::size_t>(at);
      const auto p = static_cast<double>(affinities.values[entry]);
      if (p == 0) continue;  // too small for a float
      const auto j = static_cast<std::size_t>(affinities.neighbours[entry]);
      sum += p * std::log(p * z / pair_of(points, i, j).q);
    }
  }
  return sum;
}
