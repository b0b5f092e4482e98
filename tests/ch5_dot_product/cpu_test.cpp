#include "chapters/ch5_dot_product/baselines/cpu.h"
#include "chapters/ch5_dot_product/accurate_dot.h"

#include "common/harness/host_vector.h"
#include "common/harness/operation.h"
#include "tests/support/cpu_threads_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <variant>
#include <vector>

TEST(DotOnCpu, MatchesReferenceWithAnyNumberOfThreads) {
  for (const unsigned threads : {1u, 2u, 3u, 16u}) {
    for (const std::size_t size : {0, 1, 7, 8, 9, 1000, 10007}) {
      const std::vector<double> a = random_doubles(size, size), b = random_doubles(size, size + 1);
      const auto [dot, magnitude] = accurate_dot_product(a.data(), b.data(), size);
      EXPECT_NEAR(dot_product_on_cpu(a.data(), b.data(), size, threads), dot,
                  dot_tolerance(cpu_longest_chain(size, threads), size, magnitude))
          << size << " doubles, " << threads << " threads";
    }
  }
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

TEST(RequireRight, ThrowsBeyondTheBoundAndForNan) {
  const auto computation = describe_operation().make({0});
  auto& dot = *std::get<Array<double>*>(computation->arrays.back());
  dot.expect({1.0}, 0.25);
  const auto require = [&](double got) {
    dot.result = {got};
    require_right(*computation);
  };
  EXPECT_NO_THROW(require(1.25));
  EXPECT_THROW(require(1.26), std::runtime_error);
  EXPECT_THROW(require(0.74), std::runtime_error);
  EXPECT_THROW(require(NAN), std::runtime_error);
  EXPECT_THROW(require(INFINITY), std::runtime_error);
}
