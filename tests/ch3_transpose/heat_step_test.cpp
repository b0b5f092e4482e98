#include "chapters/ch3_transpose/heat_step.h"
#include "chapters/ch3_transpose/harness/heat_step_reference.h"
#include "tests/ch3_transpose/matrix_operation_tests.h"

#include <cstddef>
#include <vector>

const Operation operation_under_test{heat_step, heat_step_reference, kHeatStepMaxError};

namespace matrix_operation_tests {

using HeatStepFirst = MatrixOperationBase;

// Numbers that you can check on paper: one element has four neighbours.
TEST_F(HeatStepFirst, TakesTheMeanOfFour) {
  const DeviceBuffer<float> d_in(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9});
  DeviceBuffer<float> d_out(9);
  d_out.fill_bytes(0xff);  // NaN: an element that is not written never compares equal

  run(d_in, d_out.data(), Shape{3, 3});

  expect_same(d_out.to_host(), {1, 2, 3, 4, (2 + 8 + 4 + 6) / 4.0f, 6, 7, 8, 9}, "out", 3);
}

// Values on both sides of a border between tiles: each tile needs values of the other.
TEST_F(HeatStepFirst, ReadsAcrossTileBorders) {
  const Shape shape{66, 98};
  std::vector<float> h_in(shape.size(), 0.0f);
  for (std::size_t row = 0; row < h_in.size(); row += shape.cols) {
    for (const int seam : {31, 32, 63, 64}) h_in[row + seam] = 1;
  }
  const DeviceBuffer<float> d_in(h_in);
  DeviceBuffer<float> d_out(shape.size());
  d_out.fill_bytes(0xff);

  run(d_in, d_out.data(), shape);

  expect_result(d_out.to_host(), h_in, shape);
}

TEST(HeatStepReference, KeepsAnEvenSlope) {
  std::vector<float> slope;
  for (int i = 0; i < 7 * 11; ++i) slope.push_back(static_cast<float>(i % 11 + 2 * (i / 11)));
  EXPECT_EQ(heat_step_reference(slope, 7, 11), slope);
}

}  // namespace matrix_operation_tests
