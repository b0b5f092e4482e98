#include "chapters/ch0_machine/print_warps.h"
#include "tests/ch0_machine/printed.h"
#include "tests/ch0_machine/whole_numbers.h"

#include "tests/support/launch_errors.h"

#include <algorithm>
#include <map>
#include <sstream>

namespace {

std::vector<std::string> lines_of(int blocks, int threads) {
  std::vector<std::string> lines;
  for (int block = 0; block < blocks; ++block) {
    for (int first = 0; first < threads; first += 32) {
      const int last = std::min(first + 32, threads) - 1;
      lines.push_back(
          format("block %d, warp %d: threads %d to %d", block, first / 32, first, last));
    }
  }
  return lines;
}

// The value of `got=` in the fact about the first of the lines that should not be there.
std::string kind_of_stray(const std::string& stray, std::size_t strays,
                          const std::vector<std::string>& expected) {
  const auto up_to_last = [](const std::string& line) { return line.substr(0, line.rfind(' ')); };
  if (std::find(expected.begin(), expected.end(), stray) != expected.end()) return "repeated";
  if (strays > expected.size()) return "more";
  for (const std::string& line : expected) {
    if (up_to_last(line) == up_to_last(stray)) return "last_thread";
  }
  return "other";
}

// Fails unless each of the lines was printed once, in any order, and nothing else.
void expect_lines(const std::string& printed, const std::vector<std::string>& expected) {
  std::map<std::string, int> missing;
  for (const std::string& line : expected) ++missing[line];
  std::size_t strays = 0;
  std::string first_stray;
  std::istringstream text(printed);
  for (std::string line; std::getline(text, line);) {
    if (missing[line]-- > 0) continue;
    if (strays++ == 0) first_stray = line;
  }
  int count = 0;
  std::string first_missing;
  for (const std::string& line : expected) {
    if (missing[line] <= 0) continue;
    if (count++ == 0) first_missing = line;
  }
  if (strays > 0) {
    record_fact(format("printed=stray lines=%zu got=", strays) +
                kind_of_stray(first_stray, strays, expected));
    ADD_FAILURE() << strays << " lines are wrong, or repeated. The first: " << first_stray;
  }
  if (count > 0) {
    record_fact(format("printed=missing lines=%d got=", count) +
                (strays > 0 ? "other" : printed.empty() ? "nothing" : "lines"));
    ADD_FAILURE() << count << " of " << expected.size()
                  << " lines are missing. The first: " << first_missing;
  }
}

class PrintWarpsTest : public ArrayOperationTest, public testing::WithParamInterface<ArrayLaunch> {
 protected:
  static void expect_printed(int blocks, int threads) {
    Printed printed;
    print_warps(blocks, threads);
    const std::string text = printed.text();
    expect_no_launch_error();
    expect_lines(text, lines_of(blocks, threads));
  }
};

using PrintWarpsFirst = PrintWarpsTest;

// Runs before all other tests, with numbers that you can check in your head.
TEST_F(PrintWarpsFirst, PrintsTwoWarpsPerBlock) { expect_printed(2, 40); }

// n is the number of blocks.
TEST_P(PrintWarpsTest, PrintsEachWarpOnce) {
  const auto [blocks, threads] = GetParam();
  expect_printed(blocks, threads);
}

INSTANTIATE_TEST_SUITE_P(Launches, PrintWarpsTest,
                         testing::ValuesIn(with_hidden_shapes<2>(
                             std::vector<ArrayLaunch>{
                                 {1, 1}, {1, 31}, {1, 32}, {1, 33}, {3, 40}, {7, 64}, {2, 1024}},
                             [](const auto& numbers) {
                               return ArrayLaunch{numbers[0], numbers[1]};
                             })),
                         launch_name);

using PrintWarpsOnce = PrintWarpsTest;

TEST_F(PrintWarpsOnce, ReportsALaunchThatFails) {
  Printed printed;
  expect_error_of_each_launch([] { print_warps(1, 32); });
}

using PrintWarpsRefusal = TooManyThreads;

TEST_P(PrintWarpsRefusal, ThrowsWhenABlockIsTooLarge) {
  expect_refused(GetParam(), [] { print_warps(1, GetParam()); });
}

INSTANTIATE_TEST_SUITE_P(Threads, PrintWarpsRefusal, testing::Values(1025, 2000));

}  // namespace
