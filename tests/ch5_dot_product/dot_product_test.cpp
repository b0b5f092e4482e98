#include "chapters/ch5_dot_product/baselines/cpu.h"
#include "chapters/ch5_dot_product/harness/reference.h"
#include "tests/ch5_dot_product/dot_tests.h"

#include <numeric>

const Operation operation_under_test{
    dot_product, [](const double* a, const double* b, std::size_t size) -> Expected {
      const DotReference reference = dot_product_reference(a, b, size);
      return {reference.dot,
              dot_tolerance(sum_order(size).longest_chain, size, reference.magnitude)};
    }};

namespace {

using dot_tests::DotOnce;
using dot_tests::expect_near_reference;
using dot_tests::new_workspace;
using dot_tests::run;
using dot_tests::same_bits;

// Integers below 2^53 are exact as doubles, and so are their sums in any order: here no tolerance
// hides a product. The closed form of 2 * 1^2 + 2 * 2^2 + ... + 2 * n^2.
TEST_F(DotOnce, IsExactForWholeNumbers) {
  for (const std::size_t size : {1, 2, 1000, 33 * 1024, 33 * 1024 + 1}) {
    std::vector<double> a(size), b(size);
    std::iota(a.begin(), a.end(), 1.0);
    for (std::size_t i = 0; i < size; ++i) b[i] = 2 * a[i];
    EXPECT_EQ(run(a, b), static_cast<double>(size * (size + 1) * (2 * size + 1) / 3))
        << "a = 1, 2, ..., b = 2, 4, ..., of " << size << " elements";
  }
}

TEST_F(DotOnce, OfNothingIsZero) { EXPECT_EQ(run({}, {}), 0.0); }

TEST_F(DotOnce, OfAVectorWithItself) {
  const DeviceBuffer<double> d_a(h_a);
  DeviceBuffer<double> d_dot(1);
  d_dot.fill_bytes(0xff);
  DeviceBuffer<char> d_workspace = new_workspace();
  dot_product(d_a.data(), d_a.data(), d_dot.data(), h_a.size(), d_workspace.data());
  expect_near_reference(d_dot.to_host().front(), h_a, h_a);
}

// The large products cancel, and the sum is about 10^-16 of their magnitude.
TEST_F(DotOnce, CancelsWithinItsTolerance) {
  std::vector<double> a = h_a, b = h_b;
  for (std::size_t i = 0; i + 1 < a.size(); i += 2) {
    a[i] = a[i + 1];
    b[i] = -b[i + 1];
  }
  expect_near_reference(run(a, b), a, b);
}

TEST_F(DotOnce, CarriesNanAndInfinity) {
  for (const std::size_t i : {std::size_t{0}, std::size_t{5000}, h_a.size() - 1}) {
    std::vector<double> a = h_a, b = h_b;
    a[i] = NAN;
    EXPECT_TRUE(right_or_fact(std::isnan(run(a, b)), "given=nan"))
        << "element " << i << " of a is NaN";
    a[i] = -INFINITY;
    b[i] = 2;
    EXPECT_EQ(run(a, b), -INFINITY) << "element " << i << " of a is -infinity";
    b[i] = 0;
    EXPECT_TRUE(right_or_fact(std::isnan(run(a, b)), "given=infinity_times_0"))
        << "element " << i << " is -infinity times 0";
    a[i] = b[i] = 1e200;
    EXPECT_EQ(run(a, b), INFINITY) << "the product of element " << i << " is infinite";
  }
}

TEST_F(DotOnce, GivesTheSameBitsInEveryRunIfItSaysSo) {
  DeviceBuffer<char> d_workspace = new_workspace();
  const double first = run(h_a, h_b, d_workspace);
  for (int again = 1; again < 10; ++again) {
    const double next = run(h_a, h_b, d_workspace);
    if (sum_order(h_a.size()).is_fixed) {
      EXPECT_TRUE(same_bits({next}, {first}))
          << "run " << again << ": " << std::hexfloat << next << " after " << first;
    }
    expect_near_reference(next, h_a, h_b);
  }
}

// A chain longer than all additions together would accept any result.
TEST(SumOrder, HasNoChainOfMoreThanAllAdditions) {
  for (const std::size_t size : {0, 1, 2, 1000, 1 << 20}) {
    const std::size_t chain = sum_order(size).longest_chain;
    EXPECT_LE(chain, size + 64)  // 64: sums of empty slots
        << "For " << size << " elements sum_order() returns a chain of " << chain
        << " additions, more than a sum needs.";
  }
}

TEST(DotReference, SumsProducts) {
  EXPECT_EQ(dot_product_reference(nullptr, nullptr, 0).dot, 0.0);
  const std::vector<double> a{1, -2, 3}, b{5, 7, -11};
  EXPECT_EQ(dot_product_reference(a.data(), b.data(), 3).dot, 5 - 14 - 33);
  EXPECT_EQ(dot_product_reference(a.data(), b.data(), 3).magnitude, 5 + 14 + 33);
}

// In sequence, the small products would be rounded away, and the sum would be 2^53.
TEST(DotReference, KeepsWhatAdditionsRoundAway) {
  std::vector<double> a(1009, 0.5);
  const std::vector<double> b(1009, 0.25);
  a[0] = 0x1p55;
  EXPECT_EQ(dot_product_reference(a.data(), b.data(), a.size()).dot, 0x1p53 + 126);
}

// (1 + e)(1 - e) is 1 - e^2, but 1 as a double.
TEST(DotReference, KeepsWhatMultiplicationsRoundAway) {
  const std::vector<double> a{1 + 0x1p-40, -1}, b{1 - 0x1p-40, 1};
  EXPECT_EQ(dot_product_reference(a.data(), b.data(), 2).dot, -0x1p-80);
}

TEST(DotReference, CarriesNanAndInfinity) {
  const std::vector<double> nan{1, NAN, 2}, infinite{1, INFINITY, 2}, b{1, -1, 1};
  EXPECT_TRUE(std::isnan(dot_product_reference(nan.data(), b.data(), 3).dot));
  EXPECT_EQ(dot_product_reference(infinite.data(), b.data(), 3).dot, -INFINITY);
}

TEST(DotOnCpu, MatchesReferenceWithAnyNumberOfThreads) {
  for (const unsigned threads : {1u, 2u, 3u, 16u}) {
    for (const std::size_t size : {0, 1, 7, 8, 9, 1000, 10007}) {
      const std::vector<double> a = random_doubles(size, size), b = random_doubles(size, size + 1);
      const DotReference expected = dot_product_reference(a.data(), b.data(), size);
      EXPECT_NEAR(dot_product_on_cpu(a.data(), b.data(), size, threads), expected.dot,
                  dot_tolerance(cpu_longest_chain(size, threads), size, expected.magnitude))
          << size << " doubles, " << threads << " threads";
    }
  }
}

}  // namespace
