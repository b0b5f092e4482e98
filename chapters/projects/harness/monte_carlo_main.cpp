#include "harness/monte_carlo_reference.h"
#include "harness/project.h"
#include "monte_carlo.h"

namespace {

struct Samples {
  std::size_t n;
  std::uint64_t seed;
};

class MonteCarlo final : public Project<Samples> {
 public:
  static std::vector<OptionHelp> options() {
    return {{"--n N", "number of samples"}, {"--seed N", "the seed of the random numbers"}};
  }
  static Samples parse(Options& options) {
    const auto n = options.integer<std::size_t>("--n", 2, 1'000'000'000);
    const auto seed = options.integer<std::uint64_t>("--seed", 0, 1'000'000'000);
    return {n.value_or(100'003), seed.value_or(1)};
  }

  MonteCarlo(const Samples& samples, std::uint64_t)
      : samples_(samples), d_estimate_(2), d_workspace_(kWorkspaceDoubles) {
    d_estimate_.fill_bytes(0xff);  // NaN
    d_workspace_.fill_bytes(0xff);
  }

  void run() override {
    monte_carlo(samples_.seed, samples_.n, d_estimate_.data(), d_workspace_.data());
  }

  std::string check() override {
    const std::vector<double> estimate = d_estimate_.to_host();
    const Estimate expected = monte_carlo_reference(samples_.seed, samples_.n);
    const std::string text =
        format("%.17g with the standard error %.17g", estimate[0], estimate[1]);
    if (!is_mean(estimate[0], expected, samples_.n) ||
        !is_standard_error(estimate[1], expected, samples_.n)) {
      throw std::runtime_error(
          format("WRONG: %zu samples: expected %.17g with the standard error "
                 "%.17g, got %s",
                 samples_.n, expected.mean, expected.standard_error, text.c_str()));
    }
    return format("%zu samples, right: %s. The integral is pi, 3.14159265358979...", samples_.n,
                  text.c_str());
  }

 private:
  Samples samples_;
  DeviceBuffer<double> d_estimate_, d_workspace_;
};

}  // namespace

int main(int argc, char** argv) { return run_program<MonteCarlo>(argc, argv); }
