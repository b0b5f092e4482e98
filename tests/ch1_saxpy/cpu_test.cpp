#include "chapters/ch1_saxpy/baselines/cpu.h"

#include "common/harness/cpu_baseline.h"
#include "tests/support/on_one_core.h"

#include <gtest/gtest.h>

namespace {

TEST(SaxpyOnCpu, TakesNullPointersForNoElements) {
  saxpy_on_cpu(-1.7f, nullptr, nullptr, 0, cpu_threads());
}

// One program always uses one thread, the other program one for each core that it may use.
TEST(CpuThreads, AreOneOnOneCore) {
  const OnOneCore one_core;
  EXPECT_EQ(cpu_threads(), 1u);
}

}  // namespace
