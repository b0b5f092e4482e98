#include "baselines/pair_rate.h"
#include "harness/shares_reference.h"
#include "shares/shares.h"

#include "common/device_buffer.h"
#include "common/harness/driver.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr int kNeighbours = 90;
constexpr float kPerplexity = 30;

class Shares final : public TimedProblem {
 public:
  using Asked = std::optional<int>;
  static std::vector<OptionHelp> options() { return {{"--n N", "how many points"}}; }
  static Asked parse(Options& options) { return options.integer<int>("--n", 1, 1 << 20); }
  static Sizes<int> sizes(const Asked& asked, bool is_timed) {
    return sizes_of(asked, /*to_check=*/251, /*to_time=*/16384, is_timed);
  }
  static MemoryNeed memory_need(int rows, bool) {
    const double bytes = 2.0 * rows * (kNeighbours + 1) * sizeof(float);
    return {format("%d points", rows), bytes, 2 * bytes, largest_that_fits("--n", rows)};
  }

  Shares(int rows, std::uint64_t seed)
      : rows_(rows),
        h_distances_(random_distances(rows, kNeighbours, seed)),
        d_distances_(h_distances_),
        d_shares_(h_distances_.size()),
        d_precisions_(static_cast<std::size_t>(rows)) {
    d_shares_.fill_bytes(0xff);
    d_precisions_.fill_bytes(0xff);
  }

  void run() override {
    find_shares(d_distances_.data(), d_shares_.data(), d_precisions_.data(), rows_, kNeighbours,
                kPerplexity);
  }

  std::string check() override {
    if (d_distances_.to_host() != h_distances_) {
      throw std::runtime_error("WRONG: the kernel changed the distances.");
    }
    const std::string wrong = wrong_share(h_distances_, d_shares_.to_host(),
                                          d_precisions_.to_host(), kNeighbours, kPerplexity);
    if (!wrong.empty()) throw std::runtime_error("WRONG: " + wrong + ".");
    return format("shares of %d neighbours of %d points: all entropies within 1e-5", kNeighbours,
                  rows_);
  }

  Timings time() override {
    return time_beside([&] { ceiling_pairs_ = pair_rate(d_unused_.data()); }, [&] { run(); });
  }

  Measurement measurement(const Timings& timings) const override {
    const RateUnit unit{"Gpair/s", "gpairs_per_s", 1e-6};
    return {format("%d points, %d neighbours of each", rows_, kNeighbours),
            {{"n", std::to_string(rows_)}},
            {timings.own, static_cast<double>(rows_) * kNeighbours},
            {"arithmetic", "pair_rate", {timings.ceiling, ceiling_pairs_}},
            unit};
  }

 private:
  const int rows_;
  const std::vector<float> h_distances_;
  DeviceBuffer<float> d_distances_, d_shares_, d_precisions_;
  DeviceBuffer<float> d_unused_{1};
  double ceiling_pairs_ = 0;
};

}  // namespace

int main(int argc, char** argv) { return run_program<Shares>(argc, argv); }
