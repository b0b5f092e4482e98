#include "chapters/ch7_vector_map/generate_floats/generate_float.h"
#include "chapters/ch7_vector_map/harness/philox_doubles.h"
#include "chapters/ch7_vector_map/generate/philox.h"

#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "tests/support/device_test.h"
#include "tests/support/guarded_array.h"
#include "tests/support/launch_failure.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <vector>

namespace {

using Floats = std::vector<float>;

TEST(UniformFloat, TakesTheHighestBits) {
  EXPECT_EQ(uniform_float(0xff), 0);
  EXPECT_EQ(uniform_float(0x100), 0x1p-24f);
  EXPECT_EQ(uniform_float(0x80000000), 0.5f);
  EXPECT_EQ(uniform_float(0xffffffff), 1 - 0x1p-24f);
}

// The four words of the generator's known answer for index 0 and seed 0, in their order.
TEST(RandomFour, IsMadeOfItsPlaceAndSeed) {
  const float4 four = random_four(0, Distribution::uniform, 0);
  EXPECT_EQ(four.x, uniform_float(0x6627e8d5));
  EXPECT_EQ(four.y, uniform_float(0xe169c58d));
  EXPECT_EQ(four.z, uniform_float(0xbc57ac4c));
  EXPECT_EQ(four.w, uniform_float(0x9b00dbd8));
  const std::uint64_t far = 0x85a308d3243f6a88, seed = 0x299f31d0a4093822;
  const uint4 bits = philox({0x243f6a88, 0x85a308d3, 0, 0}, {0xa4093822, 0x299f31d0});
  EXPECT_EQ(random_four(far, Distribution::uniform, seed).w, uniform_float(bits.w));
}

// Radius sqrt(-2 ln(1 - u)) and angle 2 pi v, of two points.
TEST(RandomFour, IsTwoPointsOfThePlaneIfNormal) {
  const auto expect_point = [](float x, float y, double u, double v) {
    const double radius = std::sqrt(-2 * std::log1p(-u)), angle = 6.283185307179586 * v;
    ASSERT_NEAR(x, radius * std::cos(angle), 5e-6);
    ASSERT_NEAR(y, radius * std::sin(angle), 5e-6);
  };
  for (std::uint64_t group = 0; group < 1000; ++group) {
    const float4 uniform = random_four(group, Distribution::uniform, 7);
    const float4 normal = random_four(group, Distribution::normal, 7);
    expect_point(normal.x, normal.y, uniform.x, uniform.y);
    expect_point(normal.z, normal.w, uniform.z, uniform.w);
  }
}

// n numbers. Fails if anything around them was written.
Floats generated(std::size_t n, Distribution distribution, std::uint64_t seed,
                 cudaStream_t stream = nullptr) {
  GuardedArray<float> x(Floats(n, NAN));
  generate_floats(x.data(), n, distribution, seed, stream);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  CUDA_CHECK(cudaStreamSynchronize(stream));
  x.expect_intact_guards("x");
  return x.to_host();
}

class GenerateFloatTest
    : public DeviceTest,
      public testing::WithParamInterface<std::tuple<std::size_t, Distribution>> {};

TEST_P(GenerateFloatTest, MatchesTheCpusPhilox) {
  const auto [n, distribution] = GetParam();
  const std::uint64_t seed = 0x123456789abcdef0 + n;
  const Floats x = generated(n, distribution, seed),
               expected = philox_floats(n, distribution, seed);
  const float tolerance = distribution == Distribution::uniform ? 0 : kNormalFloatTolerance;
  for (std::size_t i = 0; i < n; ++i) ASSERT_NEAR(x[i], expected[i], tolerance) << "x[" << i << "]";
}

// The arrays end where the data ends: the simulator finds an access past it.
TEST_P(GenerateFloatTest, StaysInsideItsArray) {
  const auto [n, distribution] = GetParam();
  DeviceBuffer<float> d_x(n);
  generate_floats(d_x.data(), n, distribution, /*seed=*/1);
  EXPECT_EQ(d_x.to_host().size(), n);
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, GenerateFloatTest,
    testing::Combine(testing::Values(1, 2, 3, 4, 5, 31, 1023, 1024, 1025, 1026, 10007),
                     testing::Values(Distribution::uniform, Distribution::normal)));

class GenerateFloatMany : public DeviceTest {
 protected:
  static constexpr std::size_t kMany = 100003;
  // The mean of (x - about)^power.
  static double moment(const Floats& x, double about, int power) {
    double sum = 0;
    for (const float number : x) sum += std::pow(number - about, power);
    return sum / static_cast<double>(x.size());
  }
};

// The bounds are six standard deviations.
TEST_F(GenerateFloatMany, UniformNumbersHaveTheirMoments) {
  const Floats x = generated(kMany, Distribution::uniform, /*seed=*/11);
  EXPECT_GE(*std::min_element(x.begin(), x.end()), 0);
  EXPECT_LT(*std::max_element(x.begin(), x.end()), 1);
  EXPECT_NEAR(moment(x, 0, 1), 0.5, 6 * 0.289 / std::sqrt(kMany));
  EXPECT_NEAR(moment(x, 0.5, 2), 1.0 / 12, 6 * 0.0745 / std::sqrt(kMany));
}

TEST_F(GenerateFloatMany, NormalNumbersHaveTheirMoments) {
  const Floats x = generated(kMany, Distribution::normal, /*seed=*/12);
  EXPECT_NEAR(moment(x, 0, 1), 0, 6 / std::sqrt(kMany));
  EXPECT_NEAR(moment(x, 0, 2), 1, 6 * std::sqrt(2 / double{kMany}));
  EXPECT_NEAR(moment(x, 0, 3), 0, 6 * std::sqrt(15 / double{kMany}));
  EXPECT_NEAR(moment(x, 0, 4), 3, 6 * std::sqrt(96 / double{kMany}));
}

TEST_F(GenerateFloatMany, TheSameSeedGivesTheSameNumbers) {
  const Floats x = generated(1003, Distribution::normal, /*seed=*/1);
  EXPECT_EQ(x, generated(1003, Distribution::normal, /*seed=*/1));
  EXPECT_NE(x, generated(1003, Distribution::normal, /*seed=*/2));
}

TEST_F(GenerateFloatMany, DoesNothingForNoNumbers) {
  generate_floats(nullptr, 0, Distribution::uniform, /*seed=*/1);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(GenerateFloatMany, RunsInTheStreamItIsGiven) {
  cudaStream_t stream = nullptr;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const Floats x = generated(1003, Distribution::uniform, /*seed=*/1, stream);
  CUDA_CHECK(cudaStreamDestroy(stream));
  EXPECT_EQ(x, generated(1003, Distribution::uniform, /*seed=*/1));
}

TEST_F(GenerateFloatMany, ThrowsIfItCannotBeLaunched) {
  test_error_handling();
  DeviceBuffer<float> d_x(2);
  if (!fail_next_launch()) GTEST_SKIP() << "a GPU's launches do not fail when asked to";
  EXPECT_THROW(generate_floats(d_x.data(), 2, Distribution::uniform, 1), CudaError);
}

}  // namespace
