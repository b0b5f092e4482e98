#pragma once

#include "common/harness/cpu_baseline.h"

#include <gtest/gtest.h>
#include <sched.h>

// One program always uses one thread, the other program one for each core that it may use: here
// only the first of the cores that the test could use before.
TEST(CpuThreads, AreOneOnOneCore) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  int core = 0;
  while (core < CPU_SETSIZE && !CPU_ISSET(core, &before)) ++core;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0) << "core " << core;
  EXPECT_EQ(cpu_threads(), 1u);
  EXPECT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}
