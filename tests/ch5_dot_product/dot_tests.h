#pragma once

#include "common/harness/random.h"
#include "tests/support/device_test.h"
#include "tests/support/trial.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

// What the tests of the operations of ch5_dot_product on two vectors need.

namespace dot_tests {

// The trial of these vectors, after its run.
inline Trial computed(const std::vector<double>& a, const std::vector<double>& b) {
  Trial trial({a.size()});
  trial.set("a", a);
  trial.set("b", b);
  trial.run();
  return trial;
}

class DotOnce : public DeviceTest {
 protected:
  const std::vector<double> h_a = random_doubles(10007, /*seed=*/2);
  const std::vector<double> h_b = random_doubles(10007, /*seed=*/3);
};

// Each product in sequence is the only one that is not 0: none is left out.
TEST_F(DotOnce, SeesEachElement) {
  constexpr std::size_t kSize = 2051;  // a tile, and a tail without a partner
  for (const std::size_t i : {0, 1, 31, 32, 255, 256, 511, 512, 1023, 1024, 2047, 2049, 2050}) {
    std::vector<double> a(kSize, 0.0), b(kSize, 0.0);
    a[i] = 3.0;
    b[i] = 5.0;
    SCOPED_TRACE("element " + std::to_string(i) + " of a is 3 and of b 5, all others are 0");
    computed(a, b).expect_right("only=" + std::to_string(i));
  }
}

}  // namespace dot_tests
