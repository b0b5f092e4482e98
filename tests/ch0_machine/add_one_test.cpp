#include "chapters/ch0_machine/add_one.h"
#include "tests/ch0_machine/whole_numbers.h"

#include "common/device_buffer.h"
#include "tests/support/guarded_array.h"
#include "tests/support/launch_errors.h"

namespace {

std::vector<int> with_one_more(std::vector<int> numbers) {
  for (int& number : numbers) ++number;
  return numbers;
}

// As expect_equal(), with its own message if no element has changed.
void expect_one_more(const std::vector<int>& actual, const std::vector<int>& before) {
  if (actual == before && actual.size() > 1) {
    record_fact(format("pattern=unwritten elements=all wrong=%zu size=%zu array=x", actual.size(),
                       actual.size()));
    ADD_FAILURE() << before.size() << " of " << before.size()
                  << " elements are wrong. Pattern: no element was written, x is unchanged.";
    return;
  }
  const int added = actual.front() - before.front();
  std::vector<int> more = before;
  for (int& number : more) number += added;
  if (added != 1 && actual == more) {
    record_fact("pattern=repeated times=" + std::to_string(added));
    ADD_FAILURE() << "the first is x[0]: expected " << before.front() + 1 << ", got "
                  << actual.front() << ". Pattern: " << added
                  << " was added to each number, instead of 1.";
    return;
  }
  expect_equal(actual, with_one_more(before), "x");
}

using AddOneFirst = ArrayOperationTest;

// Runs before all other tests, with numbers that you can check in your head.
TEST_F(AddOneFirst, AddsOneToFiveNumbers) {
  const std::vector<int> h_x{3, 1, 4, 1, 5};
  DeviceBuffer<int> d_x(h_x);

  add_one(d_x.data(), 5, /*threads=*/2);

  expect_no_launch_error();
  expect_one_more(d_x.to_host(), h_x);
  expect_blocks_of(2);
}

class AddOneTest : public ArrayOperationTest, public testing::WithParamInterface<ArrayLaunch> {};

TEST_P(AddOneTest, AddsOne) {
  const auto [n, threads] = GetParam();
  const std::vector<int> h_x = random_numbers(n, /*seed=*/1);
  GuardedArray<int> x(h_x);

  add_one(x.data(), n, threads);

  expect_no_launch_error();
  expect_one_more(x.to_host(), h_x);
  x.expect_intact_guards("x");
  expect_blocks_of(threads);
}

INSTANTIATE_TEST_SUITE_P(Launches, AddOneTest, testing::ValuesIn(kArrayLaunches), launch_name);

using AddOneOnce = ArrayOperationTest;

TEST_F(AddOneOnce, RunsWithSeveralLengthsInTurn) {
  for (const int n : {5, 1003, 40}) {
    const std::vector<int> h_x = random_numbers(n, /*seed=*/2);
    DeviceBuffer<int> d_x(h_x);
    add_one(d_x.data(), n, /*threads=*/32);
    expect_no_launch_error();
    expect_one_more(d_x.to_host(), h_x);
  }
}

TEST_F(AddOneOnce, ReportsALaunchThatFails) {
  DeviceBuffer<int> d_x(random_numbers(100, /*seed=*/3));
  expect_error_of_each_launch([&] { add_one(d_x.data(), 100, 32); });
}

using AddOneRefusal = TooManyThreads;

TEST_P(AddOneRefusal, ThrowsWhenABlockIsTooLarge) {
  DeviceBuffer<int> d_x(random_numbers(100, /*seed=*/4));
  expect_refused(GetParam(), [&] { add_one(d_x.data(), 100, GetParam()); });
}

INSTANTIATE_TEST_SUITE_P(Threads, AddOneRefusal, testing::Values(1025, 2000));

}  // namespace
