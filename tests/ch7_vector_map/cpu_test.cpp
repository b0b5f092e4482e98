#include "common/harness/cpu_baseline.h"
#include "tests/support/on_one_core.h"

#include <gtest/gtest.h>

// One program always uses one thread, the other one a thread per core that it can use.
TEST(CpuThreads, AreOneOnOneCore) {
  const OnOneCore one_core;
  EXPECT_EQ(cpu_threads(), 1u);
}
