#include "monte_carlo.h"

#include "common/harness/operation.h"
#include "common/harness/random.h"

#include <cmath>

// The mean and its standard error, from the definition: the second loop takes the distances from
// the mean. Sums in long double.
std::vector<double> monte_carlo_on_cpu(std::uint64_t seed, std::size_t n) {
  const auto value = [&](std::size_t i) -> long double {
    return integrand(random_number(seed, i));
  };
  long double sum = 0, distances = 0;
  for (std::size_t i = 0; i < n; ++i) sum += value(i);
  const long double count = static_cast<long double>(n), mean = sum / count;
  for (std::size_t i = 0; i < n; ++i) distances += (value(i) - mean) * (value(i) - mean);
  return {static_cast<double>(mean),
          static_cast<double>(std::sqrt(distances / (count - 1) / count))};
}

namespace {

constexpr std::size_t kToCheck = 100'003, kMost = 1'000'000'000;

// Bounds of the error, with u = 2^-53. A value of the integrand is wrong by at most 3 u times
// itself, and a sum of n of them by n u times itself more, in any order. Computing mean and error
// from the sums adds less than 5 u. The mean is therefore wrong by at most (n + 8) u times itself.
double max_mean_error(double mean, double n) { return (n + 8) * 0x1p-53 * mean; }

// The square of the standard error is the difference of two terms, divided by n (n - 1): the sum of
// the squares, and n times the square of the mean, which is smaller. The first is wrong by at most
// (n + 8) u times itself, and the second by twice that.
double max_squared_error(double sum_of_squares, double n) {
  return 3 * (n + 8) * 0x1p-53 * sum_of_squares / (n * (n - 1));
}

struct MonteCarlo final : Computation {
  explicit MonteCarlo(const Shape& shape)
      : n(shape[0]),
        estimate(this, "estimate", 2),
        workspace(this, kWorkspaceDoubles * sizeof(double)) {  // each double is NaN
    estimate.numbers = {"mean", "error"};
    estimate.host = {-1, -1};  // so a NaN comes from the workspace
  }

  void fill(std::uint64_t random) override { seed = given_seed.value_or(random + hidden_seed()); }
  void run(cudaStream_t stream) override {
    void* const memory = workspace;
    monte_carlo(seed, n, estimate, static_cast<double*>(memory), stream);
  }
  void expect() override {
    const std::vector<double> right = monte_carlo_on_cpu(seed, n);
    const double count = static_cast<double>(n), mean = right[0], square = right[1] * right[1];
    const double sum_of_squares = count * (count - 1) * square + count * mean * mean;
    const auto is_right = [=](double value, std::size_t i) {  // never for NaN
      if (i == 0) return std::abs(value - mean) <= max_mean_error(mean, count);
      return value >= 0 &&
             std::abs(value * value - square) <= max_squared_error(sum_of_squares, count);
    };
    estimate.expect(is_right, [=](std::size_t i) { return right[i]; });
  }

  std::string text() const override { return format("%zu samples", n); }
  std::string report() const override {
    return format(
        "%zu samples, right: %.17g with the standard error %.17g. The integral is pi, "
        "3.14159265358979...",
        n, estimate.result[0], estimate.result[1]);
  }
  std::string facts_of_wrong(std::size_t i, double, double) const override {
    return i == 0 && n > 2 ? "given=many_samples" : "";
  }

  std::size_t n;
  std::uint64_t seed = 0;
  std::optional<std::uint64_t> given_seed;  // with --seed
  Output<double> estimate;
  Workspace workspace;
};

// The seed is not a size, but an input of its own.
std::optional<OwnInput> with_given_seed(Options& options) {
  const auto seed = options.integer<std::uint64_t>("--seed", 0, 1'000'000'000);
  if (!seed) return std::nullopt;
  const auto n = options.integer<std::size_t>("--n", 2, kMost);
  return OwnInput{{n.value_or(kToCheck)}, [seed](const Shape& shape) {
                    auto computation = std::make_unique<MonteCarlo>(shape);
                    computation->given_seed = seed;
                    return computation;
                  }};
}

}  // namespace

Operation describe_operation() {
  Operation operation;
  operation.make = computes<MonteCarlo>;
  operation.extents = {{"--n N", "number of samples", kMost, kToCheck, kToCheck, /*least=*/2}};
  operation.own_options = {{"--seed N", "the seed of the random numbers"}};
  operation.own_input = with_given_seed;
  // A warp and a block, each also with one sample less and one more; more samples than 256 blocks
  // and 1024 blocks of 256 threads have threads, and then the workspace has doubles; primes.
  operation.shapes =
      shapes_of({2, 3, 5, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 10007, 65537, 262147});
  operation.in_turn = shapes_of({5003, 1000, 1000});
  operation.same_bits_twice = false;  // sums of doubles may be added in any order
  return operation;
}
