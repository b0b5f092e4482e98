#include "chapters/ch5_dot_product/integer_dot/integers.h"
#include "chapters/ch5_dot_product/harness/integers_reference.h"

#include "common/harness/random.h"
#include "tests/support/device_test.h"
#include "tests/support/guarded_array.h"
#include "tests/support/hidden_shapes.h"
#include "tests/support/launch_failure.h"

#include <vector>

namespace {

using Numbers = std::vector<unsigned long long>;

// Adds the terms one by one.
unsigned long long dot_of(const Numbers& a, const Numbers& b) {
  unsigned long long sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

Numbers up_to(unsigned long long n, unsigned long long factor) {
  Numbers numbers;
  for (unsigned long long i = 1; i <= n; ++i) numbers.push_back(factor * i);
  return numbers;
}

TEST(TwiceTheSumOfSquares, CountsTheLastTerm) {
  EXPECT_EQ(twice_the_sum_of_squares(0), 0u);
  EXPECT_EQ(twice_the_sum_of_squares(1), 2u);
  EXPECT_EQ(twice_the_sum_of_squares(2), 2u + 8u);
  EXPECT_EQ(twice_the_sum_of_squares(3), 2u + 8u + 18u);
  EXPECT_EQ(twice_the_sum_of_squares(33 * 1024), 25'725'848'529'920u);
}

TEST(TwiceTheSumOfSquares, IsRightModulo2To64) {
  unsigned long long sum = 0;
  for (unsigned long long n = 1; n <= kLargestExactN + 3; ++n) {
    sum += n * (2 * n);
    if (n + 3 < kLargestExactN) continue;
    EXPECT_EQ(twice_the_sum_of_squares(n), sum) << "n = " << n;
  }
}

TEST(TwiceTheSumOfSquares, HasAnEnd) {
  EXPECT_GT(twice_the_sum_of_squares(kLargestExactN), twice_the_sum_of_squares(kLargestExactN - 1));
  EXPECT_LT(twice_the_sum_of_squares(kLargestExactN + 1), twice_the_sum_of_squares(kLargestExactN));
}

class IntegerDotProduct : public DeviceTest, public testing::WithParamInterface<std::size_t> {
 protected:
  // Fails if the inputs or anything around the partial sums change.
  static unsigned long long run(const Numbers& a, const Numbers& b) {
    const DeviceBuffer<unsigned long long> d_a(a), d_b(b);
    GuardedArray<unsigned long long> sums(Numbers(kIntegerBlocks, ~0ull));
    const unsigned long long dot =
        integer_dot_product(d_a.data(), d_b.data(), a.size(), sums.data());
    EXPECT_STREQ(cudaGetErrorName(cudaGetLastError()), "cudaSuccess");
    EXPECT_EQ(d_a.to_host(), a);
    EXPECT_EQ(d_b.to_host(), b);
    sums.expect_intact_guards("the partial sums");
    return dot;
  }
};

TEST_P(IntegerDotProduct, OfNumbersAndTheirDoubles) {
  const unsigned long long dot = run(up_to(GetParam(), 1), up_to(GetParam(), 2)),
                           expected = twice_the_sum_of_squares(GetParam());
  right_or_fact(dot == expected, "result=wrong size=" + std::to_string(GetParam()));
  EXPECT_EQ(dot, expected) << "of " << GetParam() << " elements";
}

// A warp, a block, all blocks, and the sizes around them; the published size; a prime.
INSTANTIATE_TEST_SUITE_P(Sizes, IntegerDotProduct,
                         testing::ValuesIn(with_hidden_sizes({0, 1, 2, 31, 33, 255, 256, 257, 8191,
                                                              8192, 8193, 10007, 33 * 1024})));

TEST_F(IntegerDotProduct, OfFactorsPast32Bits) {
  RandomBits bits(/*seed=*/1);
  Numbers a, b;
  for (int i = 0; i < 1009; ++i) {
    a.push_back(bits() >> 24);  // 40 bits
    b.push_back(bits() >> 51);  // 13 bits: the sum stays below 2^63
  }
  EXPECT_EQ(run(a, b), dot_of(a, b));
}

TEST_F(IntegerDotProduct, IsNotOfOneVectorAlone) {
  EXPECT_EQ(run({3, 5, 7}, {11, 13, 17}), 3u * 11 + 5u * 13 + 7u * 17);
}

TEST_F(IntegerDotProduct, ReportsALaunchThatFails) {
  test_error_handling();
  const DeviceBuffer<unsigned long long> d_a(up_to(5, 1)), d_b(up_to(5, 2));
  DeviceBuffer<unsigned long long> d_sums(kIntegerBlocks);
  if (!fail_next_launch()) GTEST_SKIP() << "only the simulator can make any launch fail";
  EXPECT_THROW(integer_dot_product(d_a.data(), d_b.data(), 5, d_sums.data()), CudaError);
  take_device_findings();  // the simulator reports why it refused the launch
}

}  // namespace
