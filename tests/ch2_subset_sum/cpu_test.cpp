#include "common/harness/cpu_baseline.h"
#include "tests/support/on_one_core.h"

#include <gtest/gtest.h>

// The column itself is tested in subset_sum_test.cpp, with any number of threads. One program
// always uses one thread, the other program one for each core that it may use.
TEST(CpuThreads, AreOneOnOneCore) {
  const OnOneCore one_core;
  EXPECT_EQ(cpu_threads(), 1u);
}
