#pragma once

#include "tests/support/device_test.h"
#include "tests/support/trial.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

// What the tests of all reductions of ch4_reduction need, many doubles to one.

namespace reduction_tests {

// The trial of these doubles, after its run.
inline Trial reduced(const std::vector<double>& in) {
  Trial trial({in.size()});
  trial.set("in", in);
  trial.run();
  return trial;
}

using ReductionOnce = DeviceTest;

// One element at a time is not 0, so an element that is left out is found.
TEST_F(ReductionOnce, SeesEachElement) {
  constexpr std::size_t kSize = 2051;  // a tile, and a tail without a partner
  for (const std::size_t i : {0, 1, 31, 32, 255, 256, 1023, 1024, 2047, 2048, 2049, 2050}) {
    std::vector<double> one(kSize, 0.0);
    one[i] = 3.0;
    SCOPED_TRACE("element " + std::to_string(i) + " is 3, all others are 0");
    reduced(one).expect_right("only=" + std::to_string(i));
  }
}

}  // namespace reduction_tests
