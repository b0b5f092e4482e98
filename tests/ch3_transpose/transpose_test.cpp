#include "chapters/ch3_transpose/harness/reference.h"
#include "tests/ch3_transpose/matrix_operation_tests.h"

const Operation operation_under_test{transpose, transpose_reference};

TEST(TransposeReference, TurnsRowsIntoColumns) {
  EXPECT_EQ(transpose_reference({1, 2, 3, 4, 5, 6}, 2, 3), (std::vector<float>{1, 4, 2, 5, 3, 6}));
}

TEST(TransposeReference, TwiceIsTheInput) {
  const std::vector<float> in = random_floats(7 * 11, /*seed=*/6);
  EXPECT_EQ(transpose_reference(transpose_reference(in, 7, 11), 11, 7), in);
}
