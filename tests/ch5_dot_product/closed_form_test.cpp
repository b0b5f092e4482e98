#include "chapters/ch5_dot_product/closed_form.h"

#include "common/device_buffer.h"
#include "common/harness/random.h"
#include "tests/support/device_test.h"
#include "tests/support/facts.h"
#include "tests/support/hidden_shapes.h"
#include "tests/support/launch_failure.h"

#include <vector>

namespace {

// Adds the terms one by one, in 64 bits.
unsigned long long sum_of_twice_squares(unsigned long long n) {
  unsigned long long sum = 0;
  for (unsigned long long i = 1; i <= n; ++i) sum += i * (2 * i);
  return sum;
}

class ClosedForm : public testing::Test {
 protected:
  void TearDown() override { right_or_fact(!HasFailure(), "call=closed_form"); }
};

TEST_F(ClosedForm, CountsTheLastTerm) {
  EXPECT_EQ(closed_form(0), 0u);
  EXPECT_EQ(closed_form(1), 2u);
  EXPECT_EQ(closed_form(2), 2u + 8u);
  EXPECT_EQ(closed_form(33 * 1024), sum_of_twice_squares(33 * 1024));
}

TEST_F(ClosedForm, IsRightForAnyN) {
  RandomBits bits(/*seed=*/2);
  for (int i = 0; i < 5; ++i) {
    const unsigned long long n = bits() % kMaxClosedForm;
    EXPECT_EQ(closed_form(n), sum_of_twice_squares(n)) << "n = " << n;
  }
}

TEST_F(ClosedForm, IsRightUpToTheLargestN) {
  EXPECT_EQ(closed_form(kMaxClosedForm), sum_of_twice_squares(kMaxClosedForm));
}

class IntegerDot : public DeviceTest, public testing::WithParamInterface<std::size_t> {
 protected:
  static constexpr std::size_t kGuard = 32;

  void TearDown() override {
    right_or_fact(!HasFailure(), "call=integer_dot");
    DeviceTest::TearDown();
  }

  // The result of integer_dot() for a and b. Fails if it writes anything else.
  static unsigned long long integer_dot_of(const std::vector<unsigned>& a,
                                           const std::vector<unsigned>& b) {
    const DeviceBuffer<unsigned> d_a(a), d_b(b);
    std::vector<unsigned long long> h_out(2 * kGuard + 1, 42);
    DeviceBuffer<unsigned long long> d_out(h_out);
    integer_dot(d_a.data(), d_b.data(), d_out.data() + kGuard, a.size());
    EXPECT_STREQ(cudaGetErrorName(cudaGetLastError()), "cudaSuccess");
    EXPECT_EQ(d_a.to_host(), a);
    EXPECT_EQ(d_b.to_host(), b);
    const std::vector<unsigned long long> out = d_out.to_host();
    h_out[kGuard] = out[kGuard];
    EXPECT_EQ(out, h_out) << "numbers around the result were overwritten";
    return out[kGuard];
  }
};

TEST_P(IntegerDot, OfNumbersAndTheirDoubles) {
  std::vector<unsigned> a, b;
  for (unsigned i = 1; i <= GetParam(); ++i) {
    a.push_back(i);
    b.push_back(2 * i);
  }
  const unsigned long long dot = integer_dot_of(a, b), expected = sum_of_twice_squares(GetParam());
  right_or_fact(dot == expected, "result=wrong size=" + std::to_string(GetParam()));
  EXPECT_EQ(dot, expected) << "of " << GetParam() << " elements";
}

// A warp and a block, and the sizes around them; 46341 is the first i for which i * 2 i has 33
// bits.
INSTANTIATE_TEST_SUITE_P(Sizes, IntegerDot,
                         testing::ValuesIn(with_hidden_sizes({0, 1, 2, 31, 32, 33, 255, 256, 257,
                                                              10007, 33 * 1024, 46340, 46341})));

TEST_F(IntegerDot, OfAnyFactors) {
  std::vector<unsigned> a, b;
  unsigned long long expected = 0;
  RandomBits bits(/*seed=*/1);
  for (int i = 0; i < 1009; ++i) {
    a.push_back(static_cast<unsigned>(bits() >> 32));
    b.push_back(static_cast<unsigned>(bits() >> 44));  // 20 bits: the sum stays below 2^62
    expected += static_cast<unsigned long long>(a.back()) * b.back();
  }
  EXPECT_EQ(integer_dot_of(a, b), expected);
}

TEST_F(IntegerDot, ReportsALaunchThatFails) {
  test_error_handling();
  const DeviceBuffer<unsigned> d_a(std::vector<unsigned>(1000, 1)),
      d_b(std::vector<unsigned>(1000, 2));
  DeviceBuffer<unsigned long long> d_dot(1);
  if (!fail_next_launch()) GTEST_SKIP() << "only the simulator can make any launch fail";
  EXPECT_THROW(integer_dot(d_a.data(), d_b.data(), d_dot.data(), 1000), CudaError);
  take_device_findings();  // the simulator reports why it refused the launch
}

}  // namespace
