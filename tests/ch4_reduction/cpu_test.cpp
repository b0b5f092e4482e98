#include "chapters/ch4_reduction/baselines/cpu.h"
#include "chapters/ch4_reduction/accurate_sum.h"

#include "common/harness/cpu_baseline.h"
#include "common/harness/random.h"
#include "tests/support/on_one_core.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

// One program always uses one thread, the other program one for each core that it may use.
TEST(CpuThreads, AreOneOnOneCore) {
  const OnOneCore one_core;
  EXPECT_EQ(cpu_threads(), 1u);
}

TEST(LogLikelihoodOnCpu, MatchesReferenceWithAnyNumberOfThreads) {
  for (const unsigned threads : {1u, 2u, 3u, 16u}) {
    for (const std::size_t size : {0, 1, 7, 8, 9, 1000, 10007}) {
      const std::vector<double> in = random_doubles(size, /*seed=*/size);
      const double expected = accurate_log_likelihood(in.data(), size);
      const double tolerance = sum_tolerance(cpu_longest_chain(size, threads));
      EXPECT_NEAR(log_likelihood_on_cpu(in.data(), size, threads), expected,
                  tolerance * std::abs(expected))
          << size << " doubles, " << threads << " threads";
    }
  }
}
