#include "chapters/ch7_vector_map/in_place.h"
#include "chapters/ch7_vector_map/harness/reference.h"

#include "common/cuda_check.h"
#include "tests/support/device_test.h"
#include "tests/support/guarded_array.h"
#include "tests/support/hidden_shapes.h"
#include "tests/support/launch_errors.h"
#include "tests/support/wrong_elements.h"
#include "tests/support/wrong_pattern.h"

#include <vector>

namespace {

class InPlaceTest : public DeviceTest, public testing::WithParamInterface<std::size_t> {};

TEST_P(InPlaceTest, MatchesReference) {
  const std::size_t n = GetParam();
  const std::vector<float> x = random_arguments<float>(n, /*seed=*/n);
  GuardedArray<float> in_place(x);

  map_in_place(in_place.data(), n);

  expect_no_launch_error();
  const std::vector<float> y = in_place.to_host();
  const auto mismatch = find_map_mismatch(y.data(), x.data(), n, accuracy());
  const auto is_right = [&](float value, std::size_t i) {
    return !find_map_mismatch(&value, &x[i], 1, accuracy());
  };
  if (mismatch) {
    record_elements(
        y, n, is_right, [&](std::size_t i) { return map_reference(x[i]); }, "y");
  }
  EXPECT_FALSE(mismatch) << map_mismatch_text(*mismatch, y.data(), x.data(), n, accuracy())
                         << wrong_pattern(y, n, is_right, "y");
  in_place.expect_intact_guards("x");
}

INSTANTIATE_TEST_SUITE_P(Sizes, InPlaceTest,
                         testing::ValuesIn(with_hidden_sizes({1, 2, 3, 5, 33, 255, 257, 1023, 1024,
                                                              1025, 2047, 2048, 2050, 10007})));

using InPlaceOnce = InPlaceTest;

TEST_F(InPlaceOnce, DoesNothingForNoElements) {
  map_in_place(nullptr, 0);
  expect_no_launch_error();
}

TEST_F(InPlaceOnce, ThrowsIfItCannotBeLaunched) {
  DeviceBuffer<float> d_x(std::vector<float>{1.0f});
  expect_error_of_each_launch([&] { map_in_place(d_x.data(), 1); });
}

}  // namespace
