#include "baselines/pair_rate.h"
#include "harness/clusters.h"
#include "harness/neighbours_reference.h"
#include "neighbours/neighbours.h"

#include "common/device_buffer.h"
#include "common/harness/driver.h"
#include "common/harness/sample.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr int kDimensions = 50;
constexpr int kMostKept = 90;
constexpr std::size_t kMostCompared = 64;  // vectors: the CPU compares each with all others

class Neighbours final : public TimedProblem {
 public:
  using Asked = std::optional<int>;
  static std::vector<OptionHelp> options() { return {{"--n N", "how many vectors"}}; }
  static Asked parse(Options& options) { return options.integer<int>("--n", 2, 1 << 20); }
  static Sizes<int> sizes(const Asked& asked, bool is_timed) {
    return sizes_of(asked, /*to_check=*/101, /*to_time=*/16384, is_timed);
  }
  static MemoryNeed memory_need(int count, bool) {
    const double bytes = 4.0 * count * (kDimensions + 2 * kMostKept);
    return {format("%d vectors", count), bytes, 5 * bytes, largest_that_fits("--n", count)};
  }

  Neighbours(int count, std::uint64_t seed)
      : kept_(std::min(kMostKept, count - 1)),
        vectors_(clustered_vectors(count, kDimensions, seed)),
        d_vectors_(vectors_.values),
        d_neighbours_(places()),
        d_distances_(places()) {
    d_neighbours_.fill_bytes(0xff);
    d_distances_.fill_bytes(0xff);
  }

  void run() override {
    find_neighbours(d_vectors_.data(), d_neighbours_.data(), d_distances_.data(), vectors_.count,
                    kDimensions, kept_);
  }

  std::string check() override {
    if (d_vectors_.to_host() != vectors_.values) {
      throw std::runtime_error("WRONG: the kernel changed the vectors.");
    }
    const std::vector<int> neighbours = d_neighbours_.to_host();
    const std::vector<float> distances = d_distances_.to_host();
    const std::vector<int> compared = sample_of(vectors_.count, kMostCompared, /*seed=*/5);
    for (const int i : compared) {
      const std::string wrong = wrong_neighbour(vectors_, neighbours, distances, kept_, i);
      if (!wrong.empty()) throw std::runtime_error("WRONG: " + wrong + ".");
    }
    return format("%d points, %d neighbours of each: those of %zu points equal the CPU's",
                  vectors_.count, kept_, compared.size());
  }

  Timings time() override {
    return time_beside([&] { ceiling_pairs_ = pair_rate(d_unused_.data()); }, [&] { run(); });
  }

  Measurement measurement(const Timings& timings) const override {
    const RateUnit unit{"Gpair/s", "gpairs_per_s", 1e-6};
    const double n = vectors_.count;
    return {format("%d vectors of %d components, %d neighbours of each", vectors_.count,
                   kDimensions, kept_),
            {{"n", std::to_string(vectors_.count)}},
            {timings.own, n * n},
            {"arithmetic", "pair_rate", {timings.ceiling, ceiling_pairs_}},
            unit};
  }

 private:
  std::size_t places() const {
    return static_cast<std::size_t>(vectors_.count) * static_cast<std::size_t>(kept_);
  }

  const int kept_;
  const LabelledVectors vectors_;
  DeviceBuffer<float> d_vectors_;
  DeviceBuffer<int> d_neighbours_;
  DeviceBuffer<float> d_distances_;
  DeviceBuffer<float> d_unused_{1};
  double ceiling_pairs_ = 0;
};

}  // namespace

int main(int argc, char** argv) { return run_program<Neighbours>(argc, argv); }
