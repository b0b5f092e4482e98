#include "common/harness/random.h"
#include "tests/support/device_test.h"
#include "tests/support/trial.h"

#include <cmath>
#include <limits>
#include <vector>

std::vector<float> transpose_on_cpu(const std::vector<float>& in, std::size_t rows,
                                    std::size_t cols);

namespace {

using TransposeOnce = DeviceTest;

// NaNs, infinities, zeros of both signs and denormals.
TEST_F(TransposeOnce, KeepsEveryValue) {
  const std::vector<float> special{
      NAN, -0.0f, INFINITY, -INFINITY, std::numeric_limits<float>::denorm_min(), 1.5f, 0.0f};
  std::vector<float> in(257 * 131);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = special[i % special.size()];
  Trial trial({257, 131});
  trial.set("in", in);
  trial.run();
  trial.expect_right();
}

TEST(TransposeOnCpu, TurnsRowsIntoColumns) {
  EXPECT_EQ(transpose_on_cpu({1, 2, 3, 4, 5, 6}, 2, 3), (std::vector<float>{1, 4, 2, 5, 3, 6}));
}

TEST(TransposeOnCpu, TwiceIsTheInput) {
  const std::vector<float> in = random_floats(7 * 11, /*seed=*/6);
  EXPECT_EQ(transpose_on_cpu(transpose_on_cpu(in, 7, 11), 11, 7), in);
}

}  // namespace
