#include "chapters/ch0_machine/reverse.h"
#include "tests/ch0_machine/whole_numbers.h"

#include "common/device_buffer.h"
#include "tests/support/guarded_array.h"
#include "tests/support/launch_errors.h"

namespace {

std::vector<int> reversed(const std::vector<int>& numbers) {
  return {numbers.rbegin(), numbers.rend()};
}

using ReverseFirst = ArrayOperationTest;

// Runs before all other tests, with numbers that you can check in your head.
TEST_F(ReverseFirst, ReversesFiveNumbers) {
  const DeviceBuffer<int> d_in(std::vector<int>{3, 1, 4, 1, 5});
  DeviceBuffer<int> d_out(std::vector<int>(5, kUnwritten));

  reverse(d_in.data(), d_out.data(), 5, /*threads=*/2);

  expect_no_launch_error();
  expect_numbers(d_out.to_host(), {5, 1, 4, 1, 3}, "out");
}

class ReverseTest : public ArrayOperationTest, public testing::WithParamInterface<ArrayLaunch> {};

TEST_P(ReverseTest, Reverses) {
  const auto [n, threads] = GetParam();
  const std::vector<int> h_in = random_numbers(n, /*seed=*/1);
  GuardedArray<int> in(h_in), out(std::vector<int>(n, kUnwritten));

  reverse(in.data(), out.data(), n, threads);

  expect_no_launch_error();
  expect_numbers(out.to_host(), reversed(h_in), "out");
  expect_equal(in.to_host(), h_in, "in");
  out.expect_intact_guards("out");
}

INSTANTIATE_TEST_SUITE_P(Launches, ReverseTest, testing::ValuesIn(kArrayLaunches), launch_name);

using ReverseOnce = ArrayOperationTest;

TEST_F(ReverseOnce, ReportsALaunchThatFails) {
  const DeviceBuffer<int> d_in(random_numbers(100, /*seed=*/2));
  DeviceBuffer<int> d_out(100);
  expect_error_of_each_launch([&] { reverse(d_in.data(), d_out.data(), 100, 32); });
}

using ReverseRefusal = TooManyThreads;

TEST_P(ReverseRefusal, ThrowsWhenABlockIsTooLarge) {
  const DeviceBuffer<int> d_in(random_numbers(100, /*seed=*/3));
  DeviceBuffer<int> d_out(100);
  expect_refused(GetParam(), [&] { reverse(d_in.data(), d_out.data(), 100, GetParam()); });
}

INSTANTIATE_TEST_SUITE_P(Threads, ReverseRefusal, testing::Values(1025, 2000));

}  // namespace
