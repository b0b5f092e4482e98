#include "chapters/ch7_vector_map/mandelbrot.h"

#include "tests/support/device_test.h"
#include "tests/support/guarded_array.h"
#include "tests/support/launch_errors.h"
#include "tests/support/wrong_pattern.h"

#include <algorithm>
#include <vector>

std::vector<int> mandelbrot_on_cpu(int rows, int cols, long long left, long long top,
                                   long long step, int limit);

namespace {

using MandelbrotOnce = DeviceTest;

// A point of the set, one on the border of the circle and one outside of it.
TEST_F(MandelbrotOnce, StopsAtTheLimitAndNotBefore) {
  constexpr int kRows = 1, kCols = 3, kUnwritten = -1;
  constexpr long long kLeft = -2 * kOne, kTop = 0, kStep = 2 * kOne + 1;
  for (const int limit : {0, 1, 2, 3, 1000}) {
    GuardedArray<int> steps(std::vector<int>(kCols, kUnwritten));
    mandelbrot(steps.data(), kRows, kCols, kLeft, kTop, kStep, limit);
    expect_no_launch_error();
    const std::vector<int> got = steps.to_host();
    const std::vector<int> expected = mandelbrot_on_cpu(kRows, kCols, kLeft, kTop, kStep, limit);
    steps.expect_intact_guards("steps");
    const auto wrong = std::mismatch(got.begin(), got.end(), expected.begin());
    if (wrong.first == got.end()) continue;
    ADD_FAILURE() << "The first wrong element is steps[" << wrong.first - got.begin() << "] of "
                  << kRows << " x " << kCols << ", with a limit of " << limit << ": expected "
                  << *wrong.second << ", got " << *wrong.first << "."
                  << wrong_pattern(
                         got, kCols, [&](int value, std::size_t i) { return value == expected[i]; },
                         "steps");
  }
}

// Points that you can follow on paper: 0 stays; 2 lies on the circle, and its next point, 6, is
// outside; 3 is outside.
TEST(MandelbrotOnCpu, CountsTheStepsBeforeAPointEscapes) {
  EXPECT_EQ(mandelbrot_on_cpu(1, 4, 0, 0, kOne, 100), (std::vector<int>{100, 3, 2, 1}));
  EXPECT_EQ(mandelbrot_on_cpu(2, 1, 0, 0, 3 * kOne, 100), (std::vector<int>{100, 1}));
}

}  // namespace
