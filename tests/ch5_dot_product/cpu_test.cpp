#include "chapters/ch5_dot_product/harness/operation.h"

#include "common/harness/host_vector.h"
#include "tests/support/on_one_core.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

// The sum itself is tested in ch5_dot_product_test.cpp, with any number of threads. One program
// always uses one thread, the other one a thread per core that it can use.
TEST(CpuThreads, AreOneOnOneCore) {
  const OnOneCore one_core;
  EXPECT_EQ(cpu_threads(), 1u);
}

TEST(HostVector, IsTheSameWithAnyNumberOfThreads) {
  constexpr std::size_t kSize = 200'003;  // several chunks, the last one not full
  const HostVector one(kSize, /*seed=*/1, /*threads=*/1);
  const HostVector other_seed(kSize, /*seed=*/2, /*threads=*/1);
  for (const unsigned threads : {2u, 3u, 16u}) {
    const HostVector many(kSize, /*seed=*/1, threads);
    EXPECT_TRUE(std::equal(one.data(), one.data() + kSize, many.data())) << threads << " threads";
  }
  EXPECT_FALSE(std::equal(one.data(), one.data() + kSize, other_seed.data()));
}

TEST(HostVector, RepeatsNothing) {
  const HostVector vector(200'003, /*seed=*/1, /*threads=*/2);
  const double* const second_piece = vector.data() + 65536;
  EXPECT_FALSE(std::equal(second_piece, second_piece + 65536, vector.data()));
}

TEST(ExpectedNumber, ThrowsBeyondItsToleranceAndForNan) {
  const Expected expected{1.0, 0.25};
  EXPECT_NO_THROW(expected.check(1.25, "two vectors"));
  EXPECT_THROW(expected.check(1.26, "two vectors"), std::runtime_error);
  EXPECT_THROW(expected.check(0.74, "two vectors"), std::runtime_error);
  EXPECT_THROW(expected.check(NAN, "two vectors"), std::runtime_error);
  EXPECT_THROW(expected.check(INFINITY, "two vectors"), std::runtime_error);
}
