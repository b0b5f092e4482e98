#pragma once

#include "tests/support/device_test.h"
#include "tests/support/expect_equal.h"
#include "tests/support/hidden_shapes.h"
#include "tests/support/launch_failure.h"
#include "tests/support/launched_blocks.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

// Code that the tests of array operations share: sizes. Only tests with such shapes include it,
// because it reads those of WORKBOOK_SHAPES.

struct ArrayLaunch {
  int n, threads;
};
inline std::ostream& operator<<(std::ostream& os, ArrayLaunch launch) {
  return os << "n = " << launch.n << ", threads = " << launch.threads;
}

// One element; a warp, a vector and a block, also with one element less and one more; primes; one
// thread per block, so that a grid-stride loop needs many iterations; the largest block.
inline const std::vector<ArrayLaunch> kArrayLaunches =
    with_hidden_shapes<2>(std::vector<ArrayLaunch>{{1, 256},
                                                   {2, 256},
                                                   {3, 256},
                                                   {4, 256},
                                                   {5, 256},
                                                   {31, 32},
                                                   {32, 32},
                                                   {33, 32},
                                                   {255, 256},
                                                   {256, 256},
                                                   {257, 256},
                                                   {258, 256},
                                                   {1023, 256},
                                                   {1024, 1024},
                                                   {1025, 1024},
                                                   {10007, 100},
                                                   {10007, 1},
                                                   {9001, 7},
                                                   {60013, 32}},
                          [](const auto& numbers) {
                            return ArrayLaunch{numbers[0], numbers[1]};
                          });

inline std::string launch_name(const testing::TestParamInfo<ArrayLaunch>& info) {
  return "n" + std::to_string(info.param.n) + "_threads" + std::to_string(info.param.threads);
}
