#include "chapters/ch8_tsne/error_bound.h"
#include "chapters/ch8_tsne/harness/reference.h"
#include "distances/divided_distances.h"
#include "harness/divided_triangle.h"
#include "harness/peer_copies.h"
#include "harness/problem.h"

#include "common/harness/random.h"
#include "common/harness/sample.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace {

constexpr long long kMostEntries = static_cast<long long>(kMaxCount) * kMaxCount;
constexpr int kMostDimensions = 1 << 24;

struct Vectors {
  int count, dimensions;
  long long asked;  // the largest number of entries of the distance matrix: --size
};

// Distances on several GPUs. The ceiling is a peer copy of the vectors that the first GPU has to
// fetch: no other GPU fetches more.
class DistancesOnGpus final : public TimedProblem {
 public:
  struct Asked {
    std::optional<long long> size;
    std::optional<int> count, dimensions, gpus;
  };
  using Size = OnGpus<Vectors>;
  static std::vector<OptionHelp> options() {
    return {{"--size N", "as many vectors as fit a distance matrix of N entries"},
            {"--n N", "how many vectors, instead of --size"},
            {"--d D", "how many dimensions they have"},
            kGpusHelp};
  }
  static Asked parse(Options& options) {
    const auto size = options.integer<long long>("--size", 1, kMostEntries);
    const auto count = options.integer<int>("--n", 1, kMaxCount);
    if (size && count) throw UsageError("--n is the number of vectors; leave out --size.");
    return {size, count, options.integer<int>("--d", 1, kMostDimensions), parse_gpus(options)};
  }
  static Sizes<Size> sizes(const Asked& asked, bool is_timed) {
    std::optional<int> count = asked.count;
    if (asked.size) count = static_cast<int>(std::sqrt(static_cast<double>(*asked.size)));
    // The sizes to check are primes, which no tile or number of GPUs divides.
    const auto counts = sizes_of(count, /*to_check=*/251, /*to_time=*/16384, is_timed);
    const auto depths = sizes_of(asked.dimensions, /*to_check=*/37, /*to_time=*/300, is_timed);
    const auto vectors = [&](int n, int d) {
      return Vectors{n, d, asked.size.value_or(static_cast<long long>(n) * n)};
    };
    const int gpus = choose_gpus(asked.gpus);
    return {{vectors(counts.checked, depths.checked), gpus},
            {vectors(counts.timed, depths.timed), gpus}};
  }
  static MemoryNeed memory_need(const Size& size, bool) {
    // Computed in floating point, so no size overflows. The first GPU fetches nearly all vectors.
    const double n = size.size.count, d = size.size.dimensions;
    const BytesOfPairs on_device{2.0 / *size.gpus, 8 * d};
    return {format("%d vectors of %d floats", size.size.count, size.size.dimensions),
            on_device.of(n), 12 * n * d + 4 * n * n, on_device.largest_that_fits(n)};
  }

  DistancesOnGpus(const Size& size, std::uint64_t seed)
      : asked_(size.size.asked),
        group_(*size.gpus),
        points_{random_floats(static_cast<std::size_t>(size.size.count) *
                                  static_cast<std::size_t>(size.size.dimensions),
                              seed),
                size.size.count, size.size.dimensions, Layout::kRowMajor},
        triangle_(group_, points_) {}

  void run() override {
    queue();
    group_.wait();
  }

  std::string check() override {
    if (triangle_.vectors_to_host() != points_.data) {
      throw std::runtime_error("WRONG: the kernel changed the vectors.");
    }
    const std::vector<float> distances = triangle_.distances_to_host();
    const auto missing = std::find_if(distances.begin(), distances.end(),
                                      [](float distance) { return !(distance >= 0); });
    if (missing != distances.end()) {
      throw wrong(pair_at(missing - distances.begin(), points_.count), "0 or more", *missing);
    }
    require_near_reference(distances);
    return text() + ", as near to the CPU's result as the arithmetic allows";
  }

  Timings time() override {
    const PeerCopies copies(group_.gpus(), bytes_fetched());
    const std::vector<Timing> timings =
        time_on_gpus(group_.gpus(), {[&] { copies.queue(); }, [&] { queue(); }});
    return {timings[1], timings[0]};
  }

  Measurement measurement(const Timings& timings) const override {
    const auto bytes = static_cast<double>(bytes_fetched());
    return {text(),
            {{"size", std::to_string(asked_)}, {"gpus", std::to_string(group_.size())}},
            {timings.own, bytes},
            {"peer copy", "peer_copy", {timings.ceiling, bytes}}};
  }

 private:
  void queue() {
    divided_distances(group_.gpus(), triangle_.shares(), points_.count, points_.dimensions);
  }

  // All vectors after the first share; on a single GPU all vectors.
  std::size_t bytes_fetched() const {
    const int own = group_.size() == 1 ? 0 : triangle_begin(points_.count, group_.size(), 1);
    return static_cast<std::size_t>(points_.count - own) *
           static_cast<std::size_t>(points_.dimensions) * sizeof(float);
  }

  // Checks the distances between some of the vectors; if there are few, between all of them.
  void require_near_reference(const std::vector<float>& distances) const {
    const std::vector<int> chosen = sample_of(points_.count, 1024, /*seed=*/5);
    std::vector<float> actual;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      for (std::size_t j = i + 1; j < chosen.size(); ++j) {
        const long long index = pair_index(chosen[i], chosen[j], points_.count);
        actual.push_back(distances[static_cast<std::size_t>(index)]);
      }
    }
    const Expected expected = distances_reference(points_, chosen);
    const RelativeErrors errors = distance_errors(actual, expected, Scale::kDistance);
    if (errors.largest <= direct_error_bound(points_.dimensions).largest) return;
    const auto [i, j] =
        pair_at(static_cast<long long>(errors.where), static_cast<int>(chosen.size()));
    throw wrong({chosen[static_cast<std::size_t>(i)], chosen[static_cast<std::size_t>(j)]},
                format("%.9g", expected.distances[errors.where]), actual[errors.where]);
  }

  std::runtime_error wrong(const Pair& pair, const std::string& expected, float actual) const {
    return std::runtime_error(format(
        "WRONG for %s: the distance of vectors %d and %d should be %s and is %s.", text().c_str(),
        pair.i, pair.j, expected.c_str(), printed(static_cast<double>(actual), 9).c_str()));
  }
  std::string text() const {
    return format("%d vectors of %d floats on %s", points_.count, points_.dimensions,
                  group_.text().c_str());
  }

  const long long asked_;
  const GpuGroup group_;
  const HostPoints points_;
  const DividedTriangle triangle_;
};

}  // namespace

int main(int argc, char** argv) {
  simulate_four_gpus();
  return run_program<DistancesOnGpus>(argc, argv);
}
