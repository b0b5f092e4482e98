#include "chapters/ch9_embedding/harness/host_affinities.h"
#include "chapters/ch9_embedding/harness/reference.h"
#include "embedding/divided_embedding.h"
#include "harness/divided_map.h"
#include "harness/peer_copies.h"
#include "harness/problem.h"

#include "common/harness/sample.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace {

constexpr long long kMostPairs = static_cast<long long>(kMaxPoints) * kMaxPoints;
constexpr int kNeighbours = 90, kGroups = 10;

struct Descent {
  int count, iterations;
  long long asked;  // the largest number of pairs of points: --size
};

// Chapter 9's descent with generated affinities, on several GPUs. The ceiling is a peer copy of the
// bytes that a GPU sends to all others per iteration.
class EmbeddingOnGpus final : public TimedProblem {
 public:
  struct Asked {
    std::optional<long long> size;
    std::optional<int> count, iterations, gpus;
  };
  using Size = OnGpus<Descent>;
  static std::vector<OptionHelp> options() {
    return {{"--size N", "the largest number of points with at most N ordered pairs"},
            {"--n N", "how many points, instead of --size"},
            {"--iterations K", "of the descent"},
            kGpusHelp};
  }
  static Asked parse(Options& options) {
    const auto size = options.integer<long long>("--size", 4, kMostPairs);
    const auto count = options.integer<int>("--n", 2, kMaxPoints);
    if (size && count) throw UsageError("--n is the number of points; leave out --size.");
    return {size, count, options.integer<int>("--iterations", 1, 100000), parse_gpus(options)};
  }
  static Sizes<Size> sizes(const Asked& asked, bool is_timed) {
    std::optional<int> count = asked.count;
    if (asked.size) count = static_cast<int>(std::sqrt(static_cast<double>(*asked.size)));
    const auto counts = sizes_of(count, /*to_check=*/251, /*to_time=*/16384, is_timed);
    const auto iterations = sizes_of(asked.iterations, /*to_check=*/10, /*to_time=*/100, is_timed);
    const auto descent = [&](int n, int k) {
      return Descent{n, k, asked.size.value_or(static_cast<long long>(n) * n)};
    };
    const int gpus = choose_gpus(asked.gpus);
    return {{descent(counts.checked, iterations.checked), gpus},
            {descent(counts.timed, iterations.timed), gpus}};
  }
  static MemoryNeed memory_need(const Size& size, bool) {
    const double n = size.size.count, gpus = *size.gpus;
    const double list = 2 * kNeighbours * (sizeof(float) + sizeof(int));  // per point
    const double map = 4 * sizeof(float2) + sizeof(int);
    const auto workspace = static_cast<double>(
        divided_embedding_workspace_bytes(size.size.count, static_cast<std::size_t>(*size.gpus)));
    const BytesOfPairs on_device{workspace / (n * n), list / gpus + map};
    return {format("%d points", size.size.count), on_device.of(n), n * (3 * list + 8 * map),
            on_device.largest_that_fits(n)};
  }

  EmbeddingOnGpus(const Size& size, std::uint64_t seed)
      : descent_(size.size),
        // The schedule of published implementations, as in chapter 9.
        schedule_{size.size.iterations / 4, 12, 0.5f, 0.8f,
                  std::max(50.0f, static_cast<float>(size.size.count) / 48)},
        group_(*size.gpus),
        affinities_(random_affinities(size.size.count,
                                      std::min(kNeighbours, size.size.count / 8 + 1),
                                      std::clamp(size.size.count / 25, 1, kGroups), seed)),
        before_last_(start_map(size.size.count, seed + 1)),
        map_(group_, affinities_, before_last_) {}

  // Continues where the last run ended. Keeps the state before the last iteration, so the gradient
  // of that iteration can be checked.
  void run() override {
    const int last = iterations_done_ + descent_.iterations;
    queue(last - 1);
    group_.wait();
    before_last_ = map_.to_host();
    queue(last);
    group_.wait();
  }

  std::string check() override {
    const std::vector<double> points = map_.points_on(0);
    if (!std::all_of(points.begin(), points.end(), [](double x) { return std::isfinite(x); })) {
      throw std::runtime_error(
          format("WRONG for %s: after %d iterations a point is NaN or infinite.", text().c_str(),
                 iterations_done_));
    }
    for (std::size_t g = 1; g < group_.size(); ++g) {
      const std::vector<double> others = map_.points_on(g);
      const auto [one, other] = std::mismatch(points.begin(), points.end(), others.begin());
      if (one == points.end()) continue;
      throw std::runtime_error(format("WRONG for %s: point %td differs on GPU %zu.", text().c_str(),
                                      (one - points.begin()) / 2, g));
    }
    require_gradient();
    return format(
        "%s, %d iterations: the gradient as near to the CPU's as floats allow, and the same points "
        "on all GPUs",
        text().c_str(), iterations_done_);
  }

  Timings time() override {
    const PeerCopies copies(group_.gpus(), bytes_sent());
    const auto own = [&] { queue(iterations_done_ + descent_.iterations); };
    const std::vector<Timing> timings = time_on_gpus(group_.gpus(), {[&] { copies.queue(); }, own});
    run();  // checked by check()
    return {timings[1], timings[0]};
  }

  Measurement measurement(const Timings& timings) const override {
    const double share = 1.0 / descent_.iterations;  // share of one iteration
    const Timing own{timings.own.median_ms * share, timings.own.min_ms * share,
                     timings.own.max_ms * share};
    const auto bytes = static_cast<double>(bytes_sent());
    return {format("%s, an iteration of %d", text().c_str(), descent_.iterations),
            {{"size", std::to_string(descent_.asked)}, {"gpus", std::to_string(group_.size())}},
            {own, bytes},
            {"peer copy", "peer_copy", {timings.ceiling, bytes}}};
  }

 private:
  // Queues the iterations up to `last`.
  void queue(int last) {
    divided_embedding(group_.gpus(), map_.shares(), descent_.count, iterations_done_, last,
                      schedule_);
    iterations_done_ = last;
  }

  // Bytes that one GPU sends per iteration; a single GPU copies its points within its memory.
  std::size_t bytes_sent() const {
    const std::size_t others = group_.size() - 1;
    const auto own =
        static_cast<std::size_t>(points_of(descent_.count, group_.size(), others).size);
    const std::size_t points = own * sizeof(float2);
    return others == 0 ? points : others * (points + sizeof(float));
  }

  // Checks the gradient of the last iteration at some of the points.
  void require_gradient() const {
    const std::vector<int> chosen = sample_of(descent_.count, 64, /*seed=*/5);
    const auto exaggeration = static_cast<double>(exaggeration_at(schedule_, iterations_done_ - 1));
    const ReferenceGradient expected =
        gradient_reference(affinities_, before_last_.points, exaggeration, chosen);
    const std::vector<double> tolerances =
        gradient_tolerances(expected, before_last_.points, chosen, /*slack=*/0);
    const std::vector<double> gradient = map_.gradient();
    for (std::size_t k = 0; k < expected.values.size(); ++k) {
      const double actual = gradient[2 * static_cast<std::size_t>(chosen[k / 2]) + k % 2];
      if (std::abs(actual - expected.values[k]) <= tolerances[k]) continue;
      throw std::runtime_error(
          format("WRONG for %s: in iteration %d the gradient of point %d in %s should be %.9g and "
                 "is %s.",
                 text().c_str(), iterations_done_, chosen[k / 2], k % 2 == 0 ? "x" : "y",
                 expected.values[k], printed(actual, 9).c_str()));
    }
  }

  std::string text() const {
    return format("%d points on %s", descent_.count, group_.text().c_str());
  }

  const Descent descent_;
  const Schedule schedule_;
  const GpuGroup group_;
  const HostAffinities affinities_;
  ReferenceMap before_last_;
  const DividedMap map_;
  int iterations_done_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  simulate_four_gpus();
  return run_program<EmbeddingOnGpus>(argc, argv);
}
