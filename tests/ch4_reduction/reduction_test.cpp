#include "chapters/ch4_reduction/reduction.h"
#include "chapters/ch4_reduction/accurate_sum.h"

#include "common/harness/random.h"
#include "tests/ch4_reduction/reduction_tests.h"

#include <cmath>
#include <cstring>

double log_likelihood_in_one_loop(const double* in, std::size_t size);

namespace {

using reduction_tests::reduced;
using reduction_tests::ReductionOnce;

double sum_of(const std::vector<double>& in) { return reduced(in).output<double>("sum").front(); }

// Sums of small integers are exact in any order, so no tolerance hides a missing term.
TEST_F(ReductionOnce, IsExactForEvenNumbers) {
  std::vector<double> even;
  double expected = 0;
  for (const double x : random_doubles(5003, /*seed=*/3)) {
    even.push_back(2 * (1 + std::floor(std::abs(x) * 999)));
    expected -= even.back() * even.back() / 2;
  }
  EXPECT_EQ(sum_of(even), expected);
}

TEST_F(ReductionOnce, OfNothingIsZero) { EXPECT_EQ(sum_of({}), 0.0); }

TEST_F(ReductionOnce, CarriesNanAndInfinity) {
  const std::vector<double> in = random_doubles(10007, /*seed=*/2);
  for (const std::size_t i : {std::size_t{0}, std::size_t{5000}, in.size() - 1}) {
    std::vector<double> special = in;
    special[i] = NAN;
    EXPECT_TRUE(right_or_fact(std::isnan(sum_of(special)), "given=nan"))
        << "element " << i << " is NaN";
    special[i] = INFINITY;
    EXPECT_EQ(sum_of(special), -INFINITY) << "element " << i << " is infinite";
    special[i] = 1e200;
    EXPECT_EQ(sum_of(special), -INFINITY) << "the square of element " << i << " is infinite";
  }
}

TEST_F(ReductionOnce, HasTheSameBitsInEveryRunIfItsOrderIsFixed) {
  Trial trial({10007});
  trial.run();
  const double first = trial.output<double>("sum").front();
  for (int run = 1; run < 10; ++run) {
    trial.run();
    const double next = trial.output<double>("sum").front();
    if (sum_order(10007).is_fixed) {
      EXPECT_EQ(std::memcmp(&next, &first, sizeof next), 0)
          << "run " << run << ": " << std::hexfloat << next << " after " << first;
    }
    trial.expect_right();
  }
}

// A chain longer than all additions together would allow any result.
TEST(SumOrder, HasNoChainOfMoreThanAllAdditions) {
  for (const std::size_t size : {0, 1, 2, 1000, 1 << 20}) {
    const std::size_t chain = sum_order(size).longest_chain;
    EXPECT_LE(chain, size + 64)  // 64: sums of empty slots
        << "For " << size << " elements sum_order() returns a chain of " << chain
        << " additions, more than a sum needs.";
  }
}

TEST(AccurateLogLikelihood, SumsHalfTheSquares) {
  EXPECT_EQ(accurate_log_likelihood(nullptr, 0), 0.0);
  const std::vector<double> in{1, -2, 3};
  EXPECT_EQ(accurate_log_likelihood(in.data(), 3), -7.0);
}

// The difference from the plain loop is at most what one chain of all additions can round away.
TEST(AccurateLogLikelihood, IsNearThePlainLoop) {
  for (const std::size_t size : {0, 1, 2, 1000, 100'003}) {
    const std::vector<double> in = random_doubles(size, /*seed=*/size);
    const double right = accurate_log_likelihood(in.data(), size);
    EXPECT_NEAR(log_likelihood_in_one_loop(in.data(), size), right,
                sum_tolerance(size) * std::abs(right))
        << size << " doubles";
  }
}

// Added one at a time, the small terms would be rounded away, and the sum would be -2^53.
TEST(AccurateLogLikelihood, KeepsWhatAdditionsRoundAway) {
  std::vector<double> in(1009, 0.5);
  in[0] = 0x1p27;  // a term of -2^53; the other 1008 are -0.125
  EXPECT_EQ(accurate_log_likelihood(in.data(), in.size()), -0x1p53 - 126);
}

TEST(AccurateLogLikelihood, CarriesNanAndInfinity) {
  const std::vector<double> nan{1, NAN, 2}, infinite{1, INFINITY, 2};
  EXPECT_TRUE(std::isnan(accurate_log_likelihood(nan.data(), 3)));
  EXPECT_EQ(accurate_log_likelihood(infinite.data(), 3), -INFINITY);
}

}  // namespace
