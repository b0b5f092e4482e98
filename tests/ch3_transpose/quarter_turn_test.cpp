#include "chapters/ch3_transpose/quarter_turn.h"
#include "chapters/ch3_transpose/harness/quarter_turn_reference.h"
#include "tests/ch3_transpose/matrix_operation_tests.h"

#include <vector>

const Operation operation_under_test{quarter_turn, quarter_turn_reference};

namespace matrix_operation_tests {

using QuarterTurnFirst = MatrixOperationBase;

// Numbers that you can check in your head.
TEST_F(QuarterTurnFirst, RotatesTwoRowsOfThree) {
  const DeviceBuffer<float> d_in(std::vector<float>{1, 2, 3, 4, 5, 6});
  DeviceBuffer<float> d_out(6);
  d_out.fill_bytes(0xff);  // NaN: an element that is not written never compares equal

  run(d_in, d_out.data(), Shape{2, 3});

  expect_same(d_out.to_host(), {4, 1, 5, 2, 6, 3}, "out", 2);
}

TEST(QuarterTurnReference, FourTurnsGiveTheInput) {
  const std::vector<float> in = random_floats(7 * 11, /*seed=*/6);
  std::vector<float> turned = quarter_turn_reference(in, 7, 11);
  EXPECT_NE(turned, in);
  turned = quarter_turn_reference(turned, 11, 7);
  turned = quarter_turn_reference(turned, 7, 11);
  EXPECT_EQ(quarter_turn_reference(turned, 11, 7), in);
}

}  // namespace matrix_operation_tests
