#include "chapters/ch4_reduction/baselines/cpu.h"
#include "chapters/ch4_reduction/harness/reference.h"
#include "tests/ch4_reduction/reduction_tests.h"

#include <numeric>

const Operation operation_under_test{log_likelihood, log_likelihood_output, [](std::size_t size) {
                                       return sum_tolerance(sum_order(size).longest_chain);
                                     }};

namespace {

using reduction_tests::ReductionOnce;

// Sums of small integers are exact in any order, so no tolerance hides a missing term.
TEST_F(ReductionOnce, IsExactForEvenNumbers) {
  std::vector<double> even;
  double expected = 0;
  for (const double x : random_doubles(5003, /*seed=*/3)) {
    even.push_back(2 * (1 + std::floor(std::abs(x) * 999)));
    expected -= even.back() * even.back() / 2;
  }
  EXPECT_EQ(reduce(even), expected);
}

TEST_F(ReductionOnce, OfNothingIsZero) { EXPECT_EQ(reduce({}), 0.0); }

TEST_F(ReductionOnce, CarriesNanAndInfinity) {
  for (const std::size_t i : {std::size_t{0}, std::size_t{5000}, h_in.size() - 1}) {
    std::vector<double> special = h_in;
    special[i] = NAN;
    EXPECT_TRUE(right_or_fact(std::isnan(reduce(special)), "given=nan"))
        << "element " << i << " is NaN";
    special[i] = INFINITY;
    EXPECT_EQ(reduce(special), -INFINITY) << "element " << i << " is infinite";
    special[i] = 1e200;
    EXPECT_EQ(reduce(special), -INFINITY) << "the square of element " << i << " is infinite";
  }
}

TEST_F(ReductionOnce, HasTheSameBitsInEveryRunIfItsOrderIsFixed) {
  DeviceBuffer<char> d_workspace = new_workspace();
  const double first = reduce(h_in, d_workspace);
  for (int run = 1; run < 10; ++run) {
    const double next = reduce(h_in, d_workspace);
    if (sum_order(h_in.size()).is_fixed) {
      EXPECT_TRUE(same_bits({next}, {first}))
          << "run " << run << ": " << std::hexfloat << next << " after " << first;
    }
    expect_near_reference(next, h_in);
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

TEST(LogLikelihoodReference, SumsHalfTheSquares) {
  EXPECT_EQ(log_likelihood_reference(nullptr, 0), 0.0);
  const std::vector<double> in{1, -2, 3};
  EXPECT_EQ(log_likelihood_reference(in.data(), 3), -7.0);
}

// Added one at a time, the small terms would be rounded away, and the sum would be -2^53.
TEST(LogLikelihoodReference, KeepsWhatAdditionsRoundAway) {
  std::vector<double> in(1009, 0.5);
  in[0] = 0x1p27;  // a term of -2^53; the other 1008 are -0.125
  EXPECT_EQ(log_likelihood_reference(in.data(), in.size()), -0x1p53 - 126);
}

TEST(LogLikelihoodReference, CarriesNanAndInfinity) {
  const std::vector<double> nan{1, NAN, 2}, infinite{1, INFINITY, 2};
  EXPECT_TRUE(std::isnan(log_likelihood_reference(nan.data(), 3)));
  EXPECT_EQ(log_likelihood_reference(infinite.data(), 3), -INFINITY);
}

TEST(LogLikelihoodOnCpu, MatchesReferenceWithAnyNumberOfThreads) {
  for (const unsigned threads : {1u, 2u, 3u, 16u}) {
    for (const std::size_t size : {0, 1, 7, 8, 9, 1000, 10007}) {
      const std::vector<double> in = random_doubles(size, /*seed=*/size);
      const double expected = log_likelihood_reference(in.data(), size);
      const double tolerance = sum_tolerance(cpu_longest_chain(size, threads));
      EXPECT_NEAR(log_likelihood_on_cpu(in.data(), size, threads), expected,
                  tolerance * std::abs(expected))
          << size << " doubles, " << threads << " threads";
    }
  }
}

}  // namespace
