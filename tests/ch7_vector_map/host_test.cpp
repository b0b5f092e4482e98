#include "chapters/ch7_vector_map/host/host_map.h"
#include "chapters/ch7_vector_map/harness/host_array.h"
#include "chapters/ch7_vector_map/harness/reference.h"
#include "chapters/ch7_vector_map/vector_map.h"
#include "tests/ch7_vector_map/expect_map.h"

#include "common/device_buffer.h"
#include "tests/support/device_test.h"
#include "tests/support/launch_failure.h"

#include <cmath>
#include <vector>

namespace {

class HostMapTest : public DeviceTest, public testing::WithParamInterface<std::size_t> {
 protected:
  static constexpr std::size_t kGuard = 4;  // floats: the data between them stays aligned

  static void expect_right(std::size_t n, std::size_t seed) {
    const std::vector<float> x = random_arguments<float>(n, seed);
    std::vector<float> guarded(kGuard + n + kGuard, 42.0f);
    for (std::size_t i = 0; i < n; ++i) guarded[kGuard + i] = NAN;
    HostArray<float> h_x(x, needs_pinned_memory()), h_y(guarded, needs_pinned_memory());
    DeviceBuffer<float> d_x(n), d_y(n);
    d_x.fill_bytes(0xff);
    d_y.fill_bytes(0xff);

    host_map(h_x.data(), h_y.data() + kGuard, d_x.data(), d_y.data(), n);

    const std::vector<float> all = h_y.values(), y(&all[kGuard], &all[kGuard] + n);
    expect_map(y.data(), x.data(), n, accuracy());
    for (std::size_t i = 0; i < kGuard; ++i) {
      EXPECT_TRUE(right_or_fact(all[i] == 42.0f, "overwritten=before array=y"))
          << "floats before y were overwritten";
      EXPECT_TRUE(right_or_fact(all[kGuard + n + i] == 42.0f, "overwritten=after array=y"))
          << "floats after y were overwritten";
    }
    right_or_fact(h_x.values() == x, "changed=x");
    EXPECT_EQ(h_x.values(), x) << "x has changed";
  }
};

TEST_P(HostMapTest, MatchesReference) { expect_right(GetParam(), /*seed=*/GetParam()); }

INSTANTIATE_TEST_SUITE_P(Sizes, HostMapTest, testing::Values(1, 2, 3, 4, 5, 1023, 2049, 10007));

using HostMapOnce = HostMapTest;

// More than a chunk of 2^20 elements, and not a multiple of it.
TEST_F(HostMapOnce, MatchesReferenceForSeveralChunks) { expect_right((1 << 20) + 70003, 3); }

TEST_F(HostMapOnce, DoesNothingForNoElements) { host_map(nullptr, nullptr, nullptr, nullptr, 0); }

TEST_F(HostMapOnce, ThrowsIfItCannotBeLaunched) {
  test_error_handling();
  HostArray<float> h_x({1.0f, 2.0f}, needs_pinned_memory()),
      h_y({0.0f, 0.0f}, needs_pinned_memory());
  DeviceBuffer<float> d_x(2), d_y(2);
  if (!fail_next_launch()) GTEST_SKIP() << "a GPU's launches do not fail when asked to";
  EXPECT_THROW(host_map(h_x.data(), h_y.data(), d_x.data(), d_y.data(), 2), CudaError);
}

}  // namespace
