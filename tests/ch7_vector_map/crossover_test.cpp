#include "chapters/ch7_vector_map/crossover.h"

#include "common/harness/format.h"
#include "common/harness/random.h"
#include "tests/support/facts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace {

// Nothing for `expected`: the CPU is as fast or faster at the largest size.
void expect_crossover(const std::vector<TimedSize>& times, std::optional<double> expected) {
  const std::optional<double> got = crossover(times);
  if (got.has_value() == expected.has_value() &&
      std::abs(got.value_or(0) - expected.value_or(0)) < 1e-9)
    return;
  std::string table;
  for (const TimedSize& time : times) {
    table += format("%s%g: %g, %g", table.empty() ? "" : "; ", time.n, time.cpu_ms, time.gpu_ms);
  }
  const bool is_outside = got && (*got < times.front().n || *got > times.back().n);
  record_fact("got=" + (got ? fact_value(*got) : "nothing") +
              " expected=" + (expected ? fact_value(*expected) : "nothing") +
              (is_outside ? " given=outside" : ""));
  ADD_FAILURE() << "crossover() gives " << (got ? format("%g", *got) : "nothing") << ", where "
                << (expected ? format("the GPU is faster from %g on", *expected)
                             : "the GPU is not faster at the largest size")
                << ". The times in ms (n: CPU, GPU): " << table << ".";
}

// The CPU takes n ms, the GPU 10 + n / 2: equal at n = 20.
TEST(Crossover, IsWhereTheLinesMeet) {
  expect_crossover({{10, 10, 15}, {30, 30, 25}, {100, 100, 60}}, 20);
}

TEST(Crossover, IsNothingWhereTheCpuStaysAhead) {
  expect_crossover({{10, 1, 5}, {100, 10, 20}}, std::nullopt);
}

TEST(Crossover, IsNothingWhereTheLargestSizeTakesAsLong) {
  expect_crossover({{10, 5, 1}, {100, 10, 10}}, std::nullopt);
}

TEST(Crossover, IsTheSmallestSizeWhereTheGpuLeadsEverywhere) {
  expect_crossover({{10, 5, 1}, {100, 50, 2}}, 10);
}

// The CPU takes n ms; the GPU a constant time, and half as long per element.
TEST(Crossover, IsWhereAnySuchLinesMeet) {
  RandomBits bits(/*seed=*/1);
  for (int i = 0; i < 5; ++i) {
    const double start_ms = static_cast<double>(10 + bits() % 90);
    expect_crossover({{10, 10, start_ms + 5}, {1000, 1000, start_ms + 500}}, 2 * start_ms);
  }
}

// The GPU is faster at 10, slower at 20, and faster again from between 20 and 40 on.
TEST(Crossover, IsTheLastOfSeveralCrossings) {
  expect_crossover({{10, 5, 4}, {20, 6, 8}, {40, 12, 10}, {80, 24, 14}}, 30);
}

TEST(Crossover, NeedsOnlyOneSize) {
  expect_crossover({{10, 5, 4}}, 10);
  expect_crossover({{10, 4, 5}}, std::nullopt);
}

}  // namespace
