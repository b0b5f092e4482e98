#include "chapters/ch5_dot_product/dot_product.h"
#include "chapters/ch5_dot_product/accurate_dot.h"

#include "common/device_buffer.h"
#include "common/harness/random.h"
#include "tests/ch5_dot_product/dot_tests.h"

#include <cmath>
#include <cstring>
#include <numeric>

double dot_product_in_one_loop(const double* a, const double* b, std::size_t size);

namespace {

using dot_tests::computed;
using dot_tests::DotOnce;

double dot_of(const std::vector<double>& a, const std::vector<double>& b) {
  return computed(a, b).output<double>("dot").front();
}

// Integers below 2^53 are exact as doubles, and so are their sums in any order: here no tolerance
// hides a product. The closed form of 2 * 1^2 + 2 * 2^2 + ... + 2 * n^2.
TEST_F(DotOnce, IsExactForWholeNumbers) {
  for (const std::size_t size : {1, 2, 1000, 33 * 1024, 33 * 1024 + 1}) {
    std::vector<double> a(size), b(size);
    std::iota(a.begin(), a.end(), 1.0);
    for (std::size_t i = 0; i < size; ++i) b[i] = 2 * a[i];
    EXPECT_EQ(dot_of(a, b), static_cast<double>(size * (size + 1) * (2 * size + 1) / 3))
        << "a = 1, 2, ..., b = 2, 4, ..., of " << size << " elements";
  }
}

TEST_F(DotOnce, OfNothingIsZero) { EXPECT_EQ(dot_of({}, {}), 0.0); }

// Both pointers are the same.
TEST_F(DotOnce, OfAVectorWithItself) {
  const DeviceBuffer<double> d_a(h_a);
  DeviceBuffer<double> d_dot(1);
  d_dot.fill_bytes(0xff);
  DeviceBuffer<char> d_workspace(kWorkspaceBytes);
  d_workspace.fill_bytes(0);
  dot_product(d_a.data(), d_a.data(), d_dot.data(), h_a.size(), d_workspace.data());
  const auto [dot, magnitude] = accurate_dot_product(h_a.data(), h_a.data(), h_a.size());
  EXPECT_NEAR(d_dot.to_host().front(), dot,
              dot_tolerance(sum_order(h_a.size()).longest_chain, h_a.size(), magnitude));
}

// The large products cancel, and the sum is about 10^-16 of their magnitude.
TEST_F(DotOnce, CancelsWithinItsTolerance) {
  std::vector<double> a = h_a, b = h_b;
  for (std::size_t i = 0; i + 1 < a.size(); i += 2) {
    a[i] = a[i + 1];
    b[i] = -b[i + 1];
  }
  computed(a, b).expect_right();
}

TEST_F(DotOnce, CarriesNanAndInfinity) {
  for (const std::size_t i : {std::size_t{0}, std::size_t{5000}, h_a.size() - 1}) {
    std::vector<double> a = h_a, b = h_b;
    a[i] = NAN;
    EXPECT_TRUE(right_or_fact(std::isnan(dot_of(a, b)), "given=nan"))
        << "element " << i << " of a is NaN";
    a[i] = -INFINITY;
    b[i] = 2;
    EXPECT_EQ(dot_of(a, b), -INFINITY) << "element " << i << " of a is -infinity";
    b[i] = 0;
    EXPECT_TRUE(right_or_fact(std::isnan(dot_of(a, b)), "given=infinity_times_0"))
        << "element " << i << " is -infinity times 0";
    a[i] = b[i] = 1e200;
    EXPECT_EQ(dot_of(a, b), INFINITY) << "the product of element " << i << " is infinite";
  }
}

TEST_F(DotOnce, GivesTheSameBitsInEveryRunIfItSaysSo) {
  Trial trial({h_a.size()});
  trial.run();
  const double first = trial.output<double>("dot").front();
  for (int run = 1; run < 10; ++run) {
    trial.run();
    const double next = trial.output<double>("dot").front();
    if (sum_order(h_a.size()).is_fixed) {
      EXPECT_EQ(std::memcmp(&next, &first, sizeof next), 0)
          << "run " << run << ": " << std::hexfloat << next << " after " << first;
    }
    trial.expect_right();
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

TEST(AccurateDot, SumsProducts) {
  EXPECT_EQ(accurate_dot_product(nullptr, nullptr, 0).dot, 0.0);
  const std::vector<double> a{1, -2, 3}, b{5, 7, -11};
  EXPECT_EQ(accurate_dot_product(a.data(), b.data(), 3).dot, 5 - 14 - 33);
  EXPECT_EQ(accurate_dot_product(a.data(), b.data(), 3).magnitude, 5 + 14 + 33);
}

// The difference from the plain loop is at most what one chain of all additions can round away.
TEST(AccurateDot, IsNearThePlainLoop) {
  for (const std::size_t size : {0, 1, 2, 1000, 100'003}) {
    const std::vector<double> a = random_doubles(size, size), b = random_doubles(size, size + 1);
    const auto [dot, magnitude] = accurate_dot_product(a.data(), b.data(), size);
    EXPECT_NEAR(dot_product_in_one_loop(a.data(), b.data(), size), dot,
                dot_tolerance(size, size, magnitude))
        << size << " doubles";
  }
}

// In sequence, the small products would be rounded away, and the sum would be 2^53.
TEST(AccurateDot, KeepsWhatAdditionsRoundAway) {
  std::vector<double> a(1009, 0.5);
  const std::vector<double> b(1009, 0.25);
  a[0] = 0x1p55;
  EXPECT_EQ(accurate_dot_product(a.data(), b.data(), a.size()).dot, 0x1p53 + 126);
}

// (1 + e)(1 - e) is 1 - e^2, but 1 as a double.
TEST(AccurateDot, KeepsWhatMultiplicationsRoundAway) {
  const std::vector<double> a{1 + 0x1p-40, -1}, b{1 - 0x1p-40, 1};
  EXPECT_EQ(accurate_dot_product(a.data(), b.data(), 2).dot, -0x1p-80);
}

TEST(AccurateDot, CarriesNanAndInfinity) {
  const std::vector<double> nan{1, NAN, 2}, infinite{1, INFINITY, 2}, b{1, -1, 1};
  EXPECT_TRUE(std::isnan(accurate_dot_product(nan.data(), b.data(), 3).dot));
  EXPECT_EQ(accurate_dot_product(infinite.data(), b.data(), 3).dot, -INFINITY);
}

}  // namespace
