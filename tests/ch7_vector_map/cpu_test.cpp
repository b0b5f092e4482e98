#include "chapters/ch7_vector_map/baselines/cpu.h"
#include "chapters/ch7_vector_map/harness/reference.h"
#include "tests/ch7_vector_map/expect_map.h"

#include "common/harness/cpu_baseline.h"
#include "tests/support/on_one_core.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace {

// Fewer elements than there are cores, and lengths that neither cores nor vectors divide.
TEST(MapOnCpu, MatchesReferenceAndStaysInside) {
  for (const std::size_t n : {0, 1, 2, 3, 7, 64, 1003, 30011}) {
    SCOPED_TRACE(n);
    const std::vector<float> x = random_arguments<float>(n, /*seed=*/n);
    std::vector<float> y(n + 1, 42.0f);

    map_on_cpu(x.data(), y.data(), n, cpu_threads());

    expect_map(y.data(), x.data(), n, kCpuAccuracy);
    right_or_fact(y[n] == 42.0f, "overwritten=after array=y");
    EXPECT_EQ(y[n], 42.0f);
  }
}

// One program always uses one thread, the other one a thread per core that it can use.
TEST(CpuThreads, AreOneOnOneCore) {
  const OnOneCore one_core;
  EXPECT_EQ(cpu_threads(), 1u);
}

}  // namespace
