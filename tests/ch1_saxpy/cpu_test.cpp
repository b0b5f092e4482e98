#include "chapters/ch1_saxpy/baselines/cpu.h"

#include "common/harness/cpu_baseline.h"
#include "common/harness/random.h"
#include "tests/support/on_one_core.h"

#include <gtest/gtest.h>

#include <vector>

namespace {

TEST(SaxpyOnCpu, StaysInsideY) {
  const int n = 1003;
  const std::vector<float> x = random_floats(1 + n + 1, /*seed=*/3);
  std::vector<float> y(x.size(), 42.0f);

  saxpy_on_cpu(-1.7f, x.data() + 1, y.data() + 1, n, cpu_threads());

  EXPECT_EQ(y.front(), 42.0f);
  EXPECT_EQ(y.back(), 42.0f);
}

TEST(SaxpyOnCpu, TakesNullPointersForNoElements) {
  saxpy_on_cpu(-1.7f, nullptr, nullptr, 0, cpu_threads());
}

// One program always uses one thread, the other program one for each core that it may use.
TEST(CpuThreads, AreOneOnOneCore) {
  const OnOneCore one_core;
  EXPECT_EQ(cpu_threads(), 1u);
}

}  // namespace
