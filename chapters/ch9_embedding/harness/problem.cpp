#include "harness/problem.h"

#include "baselines/pair_rate.h"

#include "common/harness/sample.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>

namespace {

constexpr int kNeighbours = 90, kGroups = 10;
constexpr int kMostReplayed = 1024;          // points: with more, the reference takes too long
constexpr int kMostReplayedIterations = 50;  // after more, the last bits lead to different maps
constexpr double kMostReplayedPairs = 1e8;   // times the iterations

bool is_replayed(int count, int iterations) {
  return count <= kMostReplayed && iterations <= kMostReplayedIterations &&
         static_cast<double>(count) * count * iterations <= kMostReplayedPairs;
}

HostAffinities made_up(int count, std::uint64_t seed) {
  const int neighbours = std::min(kNeighbours, count / 8 + 1);
  return random_affinities(count, neighbours, std::clamp(count / 25, 1, kGroups), seed);
}

}  // namespace

Schedule usual_schedule(int count, int iterations) {
  return {iterations / 4, 12, 0.5f, 0.8f, std::max(50.0f, static_cast<float>(count) / 48)};
}

std::vector<OptionHelp> EmbeddingProblem::options() {
  return {{"--n N", "how many points"}, {"--iterations K", "of the descent"}};
}

EmbeddingProblem::Asked EmbeddingProblem::parse(Options& options) {
  return {options.integer<int>("--n", 2, kMaxPoints),
          options.integer<int>("--iterations", 1, 100000)};
}

Sizes<EmbeddingSize> EmbeddingProblem::sizes(const Asked& asked, bool is_timed) {
  const auto count = sizes_of(asked.count, /*to_check=*/251, /*to_time=*/16384, is_timed);
  const auto iterations = sizes_of(asked.iterations, /*to_check=*/20, /*to_time=*/200, is_timed);
  return {{count.checked, iterations.checked}, {count.timed, iterations.timed}};
}

MemoryNeed EmbeddingProblem::need_with(const EmbeddingSize& size, bool has_matrix,
                                       std::size_t workspace_bytes) {
  // In floating point, so no size overflows.
  const double n = size.count;
  const double matrix = has_matrix ? n * n * sizeof(float) : 0;
  const double lists = n * 2 * kNeighbours * (sizeof(float) + sizeof(int)) + n * sizeof(int);
  const double map = 4 * n * sizeof(float2);
  const double edges = 2 * n * kNeighbours * sizeof(Edge);
  return {format("%d points", size.count),
          matrix + lists + map + static_cast<double>(workspace_bytes),
          matrix + lists + 4 * map + edges, [=](double share) {
            return format("About %.0f points fit.", n * (has_matrix ? std::sqrt(share) : share));
          }};
}

EmbeddingProblem::EmbeddingProblem(const EmbeddingSize& size, std::uint64_t seed, bool has_matrix,
                                   bool computes_pairs_once, double slack)
    : size_(size),
      computes_pairs_once_(computes_pairs_once),
      slack_(slack),
      schedule_(usual_schedule(size.count, size.iterations)),
      affinities_(made_up(size.count, seed)),
      d_affinities_(affinities_, has_matrix),
      d_map_(start_map(size.count, seed + 1)),
      start_(start_map(size.count, seed + 1)) {}

void require_gradient(const std::vector<double>& gradient, const HostAffinities& affinities,
                      const std::vector<double>& points, double exaggeration, double slack,
                      const std::vector<int>& chosen, const std::string& what) {
  const ReferenceGradient expected = gradient_reference(affinities, points, exaggeration, chosen);
  const std::vector<double> tolerances = gradient_tolerances(expected, points, chosen, slack);
  for (std::size_t k = 0; k < expected.values.size(); ++k) {
    const int point = chosen[k / 2];
    const double actual = gradient[2 * static_cast<std::size_t>(point) + k % 2];
    const double error = std::abs(actual - expected.values[k]);
    if (error <= tolerances[k]) continue;
    throw std::runtime_error(format(
        "WRONG: %s, the gradient of point %d of %d in %s should be %.9g and is %.9g.", what.c_str(),
        point, affinities.count, k % 2 == 0 ? "x" : "y", expected.values[k], actual));
  }
}

std::string EmbeddingProblem::check() {
  const ReferenceMap map = d_map_.to_host();
  if (!std::all_of(map.points.begin(), map.points.end(),
                   [](double x) { return std::isfinite(x); })) {
    throw std::runtime_error(
        format("WRONG: after %d iterations a point is NaN or infinite.", iterations_done_));
  }
  const std::vector<int> chosen = sample_of(size_.count, 64, /*seed=*/5);
  require_gradient(gradient_of(start_), affinities_, start_.points, 1, slack_, chosen,
                   "At the start");
  require_gradient(gradient_of(map), affinities_, map.points, 1, slack_, chosen,
                   format("After %d iterations", iterations_done_));
  std::string right =
      format("%d points, %d iterations: the gradient as near to the CPU's as floats allow",
             size_.count, iterations_done_);
  if (!is_replayed(size_.count, iterations_done_)) return right;
  ReferenceMap expected = start_;
  descend_reference(affinities_, schedule_, 0, iterations_done_, expected);
  const double kl = kl_divergence(affinities_, map.points);
  const double expected_kl = kl_divergence(affinities_, expected.points);
  if (!(std::abs(kl - expected_kl) <= 0.01 * std::abs(expected_kl))) {
    throw std::runtime_error(
        format("WRONG: after %d iterations from the same start the divergence KL is %.6g, and %.6g "
               "in the CPU's descent: more than 1 %% apart.",
               iterations_done_, kl, expected_kl));
  }
  return right + format(";\n  KL %.4f, and %.4f in the CPU's descent in double", kl, expected_kl);
}

void EmbeddingProblem::queue_ceiling() {
  ceiling_pairs_ = (computes_pairs_once_ ? pair_once_rate : pair_rate)(d_unused_.data(), nullptr);
}

Measurement EmbeddingProblem::measurement(const Timings& timings) const {
  // The share of one iteration.
  const double share = 1.0 / size_.iterations;
  const Timing own{timings.own.median_ms * share, timings.own.min_ms * share,
                   timings.own.max_ms * share, timings.own.sm_clock_mhz};
  const double n = size_.count;
  const RateUnit unit{"Gpair/s", "gpairs_per_s", 1e-6};
  return {format("%d points, an iteration of %d", size_.count, size_.iterations),
          {{"n", std::to_string(size_.count)}},
          {own, n * n},
          {"arithmetic",
           computes_pairs_once_ ? "pair_once_rate" : "pair_rate",
           {timings.ceiling, ceiling_pairs_}},
          unit};
}
