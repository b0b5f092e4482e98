#include "chapters/ch6_matmul/min_plus.h"
#include "chapters/ch6_matmul/harness/min_plus_reference.h"
#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "common/harness/random.h"
#include "tests/support/device_test.h"
#include "tests/support/guarded_array.h"
#include "tests/support/hidden_shapes.h"
#include "tests/support/launch_failure.h"
#include "tests/support/wrong_elements.h"
#include "tests/support/wrong_pattern.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

// Prints a shape that is a test's parameter.
void PrintTo(const ProductShape& shape, std::ostream* os) {
  *os << shape.m << " x " << shape.k << " by " << shape.k << " x " << shape.n;
}

namespace {

std::size_t elements(int rows, int cols) { return static_cast<std::size_t>(rows) * cols; }

// Two matrices of lengths on the host.
struct Roads {
  ProductShape shape;
  std::vector<float> a, b;

  explicit Roads(const ProductShape& shape, std::uint64_t seed = 1)
      : shape(shape),
        a(random_lengths(elements(shape.m, shape.k), seed)),
        b(random_lengths(elements(shape.k, shape.n), seed + 1000)) {}
};

class MinPlusBase : public DeviceTest {
 protected:
  // The result. Fails if the inputs or anything around the output change.
  static std::vector<float> shortest(const Roads& roads) {
    const auto [m, n, k] = roads.shape;
    const DeviceBuffer<float> d_a(roads.a), d_b(roads.b);
    GuardedArray<float> d_c(std::vector<float>(elements(m, n), NAN));

    min_plus(d_a.data(), d_b.data(), d_c.data(), m, n, k);
    expect_no_launch_error();
    CUDA_CHECK(cudaDeviceSynchronize());

    EXPECT_TRUE(right_or_fact(d_a.to_host() == roads.a, "changed=a")) << "a has changed";
    EXPECT_TRUE(right_or_fact(d_b.to_host() == roads.b, "changed=b")) << "b has changed";
    d_c.expect_intact_guards("c");
    return d_c.to_host();
  }

  // Fails unless each element equals the reference's.
  static void expect_shortest(const std::vector<float>& c, const Roads& roads) {
    const std::size_t n = static_cast<std::size_t>(roads.shape.n);
    const std::vector<float> expected = min_plus_reference(roads.a, roads.b, roads.shape);
    ASSERT_EQ(c.size(), expected.size());
    const auto is_right = [&](float value, std::size_t i) { return value == expected[i]; };
    for (std::size_t i = 0; i < c.size(); ++i) {
      if (is_right(c[i], i)) continue;
      if (expected[i] == kNoRoad) record_fact("expected=inf");
      if (roads.shape.k > 256) record_fact("given=many_steps");
      record_elements(
          c, n, is_right, [&](std::size_t at) { return expected[at]; }, "c");
      ADD_FAILURE() << "c(" << i / n << ", " << i % n << "): expected " << printed(expected[i], 9)
                    << ", got " << printed(c[i], 9) << "." << wrong_pattern(c, n, is_right, "c");
      return;
    }
  }
};

class MinPlusTest : public MinPlusBase, public testing::WithParamInterface<ProductShape> {};

TEST_P(MinPlusTest, MatchesReference) {
  const Roads roads(GetParam(), /*seed=*/elements(GetParam().m, GetParam().n) + GetParam().k);
  expect_shortest(shortest(roads), roads);
}

std::string shape_name(const testing::TestParamInfo<ProductShape>& info) {
  const auto [m, n, k] = info.param;
  return std::to_string(m) + "x" + std::to_string(k) + "_" + std::to_string(k) + "x" +
         std::to_string(n);
}

// m, n, k. One element; one row, one column, one hub and many; no elements, and no hub; a tile of
// 32, the sizes around it, and several steps; primes.
const std::vector<ProductShape> kShapes =
    with_hidden_shapes<3>(std::vector<ProductShape>{{1, 1, 1},
                                                    {1, 70, 9},
                                                    {70, 1, 9},
                                                    {40, 50, 1},
                                                    {1, 1, 300},
                                                    {0, 5, 3},
                                                    {5, 0, 3},
                                                    {5, 3, 0},
                                                    {2, 3, 4},
                                                    {32, 32, 32},
                                                    {31, 33, 32},
                                                    {33, 31, 33},
                                                    {64, 96, 64},
                                                    {67, 71, 61},
                                                    {100, 45, 123}},
                          [](const auto& mkn) {
                            return ProductShape{mkn[0], mkn[2], mkn[1]};
                          });

INSTANTIATE_TEST_SUITE_P(Shapes, MinPlusTest, testing::ValuesIn(kShapes), shape_name);

using MinPlusOnce = MinPlusBase;

// Lengths for mental arithmetic.
TEST_F(MinPlusOnce, TakesTheShorterOfTwoRoutes) {
  Roads roads({2, 2, 2});
  roads.a = {1, 5, kNoRoad, 2};
  roads.b = {7, 1, 1, 9};
  EXPECT_EQ(shortest(roads), (std::vector<float>{6, 2, 3, 11}));
}

// A minimum that starts at the largest float is shorter than "no road".
TEST_F(MinPlusOnce, FindsNoRouteWithoutRoads) {
  Roads roads({40, 35, 33});
  roads.a.assign(roads.a.size(), kNoRoad);
  const std::vector<float> c = shortest(roads);
  if (c[0] > 2 && c[0] < kNoRoad) record_fact("given=no_roads");  // longer than any two roads
  expect_shortest(c, roads);
}

// Lengths below 0, like differences of heights.
TEST_F(MinPlusOnce, KeepsNegativeLengths) {
  Roads roads({35, 40, 50});
  for (float& length : roads.a) length -= 2;
  expect_shortest(shortest(roads), roads);
}

// The data that a function keeps from call to call must not depend on the first call's sizes.
TEST_F(MinPlusOnce, ServesOneShapeAfterAnother) {
  for (const ProductShape& shape :
       {ProductShape{33, 65, 20}, ProductShape{100, 70, 5}, ProductShape{2, 3, 40}}) {
    SCOPED_TRACE(testing::PrintToString(shape));
    const Roads roads(shape, /*seed=*/7);
    expect_shortest(shortest(roads), roads);
  }
}

// The copies in both directions are in the stream too, and nothing else waits for them.
TEST_F(MinPlusOnce, RunsInTheStreamItIsGiven) {
  const Roads roads({70, 90, 37});
  const auto [m, n, k] = roads.shape;
  DeviceBuffer<float> d_a(roads.a.size()), d_b(roads.b.size()), d_c(elements(m, n));
  d_c.fill_bytes(0xff);  // NaN
  std::vector<float> h_c(elements(m, n));
  cudaStream_t stream = nullptr;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

  const auto there = cudaMemcpyHostToDevice, back = cudaMemcpyDeviceToHost;
  CUDA_CHECK(cudaMemcpyAsync(d_a.data(), roads.a.data(), d_a.size_bytes(), there, stream));
  CUDA_CHECK(cudaMemcpyAsync(d_b.data(), roads.b.data(), d_b.size_bytes(), there, stream));
  min_plus(d_a.data(), d_b.data(), d_c.data(), m, n, k, stream);
  CUDA_CHECK(cudaMemcpyAsync(h_c.data(), d_c.data(), d_c.size_bytes(), back, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  CUDA_CHECK(cudaStreamDestroy(stream));

  expect_shortest(h_c, roads);
}

TEST_F(MinPlusOnce, ThrowsIfItCannotBeLaunched) {
  test_error_handling();
  const Roads roads({33, 34, 35});
  if (!fail_next_launch()) GTEST_SKIP() << "a GPU's launches do not fail when asked to";
  EXPECT_THROW(shortest(roads), CudaError);
}

TEST(MinPlusReference, TwoStepsAreThreeRoads) {
  // Towns in a row, with roads of length 1 between adjacent towns: two steps find routes of three
  // roads.
  const float no = kNoRoad;
  const std::vector<float> road{no, 1, no, no, no, no, 1, no, no, no, no, 1, no, no, no, no};
  const ProductShape shape{4, 4, 4};
  const std::vector<float> two = min_plus_reference(road, road, shape);
  EXPECT_EQ(two[2], 2);
  EXPECT_EQ(min_plus_reference(two, road, shape)[3], 3);
  EXPECT_EQ(two[3], kNoRoad);
}

}  // namespace
