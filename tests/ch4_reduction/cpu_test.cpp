#include "chapters/ch4_reduction/baselines/cpu.h"
#include "chapters/ch4_reduction/accurate_sum.h"

#include "common/harness/cpu_baseline.h"
#include "common/harness/random.h"
#include "tests/support/cpu_threads_test.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

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
