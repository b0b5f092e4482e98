#include "chapters/ch0_machine/machine.h"
#include "tests/ch0_machine/host_operation_tests.h"

#include "tests/support/launch_errors.h"

namespace {

std::vector<int> doubled(std::vector<int> numbers) {
  for (int& number : numbers) number *= 2;
  return numbers;
}

using DoublingFirst = ArrayOperationTest;

// Runs before all other tests, with numbers that you can check in your head.
TEST_F(DoublingFirst, DoublesFiveNumbers) {
  const std::vector<int> h_x{3, 1, 4, 1, 5};
  HostNumbers y(5);

  double_on_gpu(h_x.data(), y.data(), 5, /*threads=*/2);

  expect_no_launch_error();
  expect_numbers(y.numbers(), {6, 2, 8, 2, 10}, "y");
}

TEST_F(DoublingFirst, ThrowsWhenABlockIsTooLarge) {
  const std::vector<int> h_x{3, 1, 4, 1, 5};
  HostNumbers y(5);
  expect_refused(2000, [&] { double_on_gpu(h_x.data(), y.data(), 5, /*threads=*/2000); });
}

class DoublingTest : public ArrayOperationTest, public testing::WithParamInterface<ArrayLaunch> {};

TEST_P(DoublingTest, Doubles) {
  const auto [n, threads] = GetParam();
  const std::vector<int> before = random_numbers(n, /*seed=*/1);
  const std::vector<int> h_x = before;
  HostNumbers y(n);

  double_on_gpu(h_x.data(), y.data(), n, threads);

  expect_no_launch_error();
  expect_numbers(y.numbers(), doubled(before), "y");
  y.expect_intact_guard("y");
  EXPECT_EQ(h_x, before) << "x was changed";
}

INSTANTIATE_TEST_SUITE_P(Launches, DoublingTest, testing::ValuesIn(kArrayLaunches), launch_name);

using DoublingOnce = ArrayOperationTest;

TEST_F(DoublingOnce, FreesWhatItAllocates) {
  const std::vector<int> h_x = random_numbers(100003, /*seed=*/2);
  HostNumbers y(100003);
  expect_freed_memory([&] { double_on_gpu(h_x.data(), y.data(), 100003, 256); });
}

TEST_F(DoublingOnce, ReportsALaunchThatFails) {
  const std::vector<int> h_x = random_numbers(100, /*seed=*/3);
  HostNumbers y(100);
  expect_error_of_each_launch([&] { double_on_gpu(h_x.data(), y.data(), 100, 32); });
}

using DoublingRefusal = TooManyThreads;

TEST_P(DoublingRefusal, ThrowsWhenABlockIsTooLarge) {
  const std::vector<int> h_x = random_numbers(100, /*seed=*/4);
  HostNumbers y(100);
  expect_refused(GetParam(), [&] { double_on_gpu(h_x.data(), y.data(), 100, GetParam()); });
}

INSTANTIATE_TEST_SUITE_P(Threads, DoublingRefusal, testing::Values(1025, 2000));

}  // namespace
