#include "chapters/ch7_vector_map/in_place_double.h"
#include "chapters/ch7_vector_map/harness/map_data.h"
#include "chapters/ch7_vector_map/harness/reference.h"
#include "tests/ch7_vector_map/expect_map.h"

#include "common/cuda_check.h"
#include "tests/support/device_test.h"
#include "tests/support/guarded_array.h"
#include "tests/support/launch_failure.h"

#include <vector>

namespace {

class InPlaceDoubleTest : public DeviceTest, public testing::WithParamInterface<std::size_t> {
 protected:
  static void expect_right(const std::vector<double>& x) {
    GuardedArray<double> in_place(x);

    double_map_in_place(in_place.data(), x.size());

    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    const std::vector<double> y = in_place.to_host();
    expect_map(y.data(), x.data(), x.size(), accuracy());
    in_place.expect_intact_guards("x");
  }
};

TEST_P(InPlaceDoubleTest, MatchesReferenceForWideData) {
  expect_right(map_arguments<double>(MapData::wide, GetParam(), /*seed=*/GetParam()));
}

TEST_P(InPlaceDoubleTest, MatchesReferenceForUniformData) {
  expect_right(map_arguments<double>(MapData::uniform, GetParam(), /*seed=*/GetParam()));
}

TEST_P(InPlaceDoubleTest, MatchesReferenceForNormalData) {
  expect_right(map_arguments<double>(MapData::normal, GetParam(), /*seed=*/GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Sizes, InPlaceDoubleTest,
                         testing::Values(1, 2, 31, 33, 1023, 1024, 1025, 2049, 10007));

using InPlaceDoubleOnce = InPlaceDoubleTest;

TEST_F(InPlaceDoubleOnce, DoesNothingForNoElements) {
  double_map_in_place(nullptr, 0);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(InPlaceDoubleOnce, ThrowsIfItCannotBeLaunched) {
  test_error_handling();
  DeviceBuffer<double> d_x(std::vector<double>{1.0});
  if (!fail_next_launch()) GTEST_SKIP() << "a GPU's launches do not fail when asked to";
  EXPECT_THROW(double_map_in_place(d_x.data(), 1), CudaError);
}

}  // namespace
