#include "chapters/ch0_machine/difference.h"
#include "tests/ch0_machine/host_operation_tests.h"

#include "tests/support/launch_errors.h"

#include <cstdlib>

namespace {

using DifferenceFirst = ArrayOperationTest;

// Runs before all other tests, with numbers that you can check in your head.
TEST_F(DifferenceFirst, FindsFiveDifferences) {
  const std::vector<int> h_a{3, 1, 4, 1, 5}, h_b{1, 1, 10, -2, 0};
  HostNumbers d(5);

  absolute_difference(h_a.data(), h_b.data(), d.data(), 5, /*threads=*/2);

  expect_no_launch_error();
  expect_numbers(d.numbers(), {2, 0, 6, 3, 5}, "d");
}

class DifferenceTest : public ArrayOperationTest,
                       public testing::WithParamInterface<ArrayLaunch> {};

TEST_P(DifferenceTest, FindsEachDifference) {
  const auto [n, threads] = GetParam();
  const std::vector<int> a = random_numbers(n, /*seed=*/1), b = random_numbers(n, /*seed=*/2);
  const std::vector<int> h_a = a, h_b = b;
  std::vector<int> expected;
  for (int i = 0; i < n; ++i) expected.push_back(std::abs(a[i] - b[i]));
  HostNumbers d(n);

  absolute_difference(h_a.data(), h_b.data(), d.data(), n, threads);

  expect_no_launch_error();
  expect_numbers(d.numbers(), expected, "d");
  d.expect_intact_guard("d");
  EXPECT_TRUE(h_a == a && h_b == b) << "an input was changed";
}

INSTANTIATE_TEST_SUITE_P(Launches, DifferenceTest, testing::ValuesIn(kArrayLaunches), launch_name);

using DifferenceOnce = ArrayOperationTest;

// A float has 24 bits: it holds none of these differences.
TEST_F(DifferenceOnce, FindsDifferencesThatNoFloatHolds) {
  const std::vector<int> h_a{16777217, 0, 1000000007}, h_b{0, 16777219, -1000000006};
  HostNumbers d(3);

  absolute_difference(h_a.data(), h_b.data(), d.data(), 3, /*threads=*/32);

  expect_no_launch_error();
  expect_numbers(d.numbers(), {16777217, 16777219, 2000000013}, "d");
}

TEST_F(DifferenceOnce, FreesWhatItAllocates) {
  const std::vector<int> h_a = random_numbers(100003, /*seed=*/3);
  HostNumbers d(100003);
  expect_freed_memory(
      [&] { absolute_difference(h_a.data(), h_a.data(), d.data(), 100003, /*threads=*/256); });
}

TEST_F(DifferenceOnce, ReportsALaunchThatFails) {
  const std::vector<int> h_a = random_numbers(100, /*seed=*/4);
  HostNumbers d(100);
  expect_error_of_each_launch(
      [&] { absolute_difference(h_a.data(), h_a.data(), d.data(), 100, /*threads=*/32); });
}

using DifferenceRefusal = TooManyThreads;

TEST_P(DifferenceRefusal, ThrowsWhenABlockIsTooLarge) {
  const std::vector<int> h_a = random_numbers(100, /*seed=*/5);
  HostNumbers d(100);
  expect_refused(GetParam(),
                 [&] { absolute_difference(h_a.data(), h_a.data(), d.data(), 100, GetParam()); });
}

INSTANTIATE_TEST_SUITE_P(Threads, DifferenceRefusal, testing::Values(1025, 2000));

}  // namespace
