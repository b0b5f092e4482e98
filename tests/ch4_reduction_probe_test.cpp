#include "chapters/ch4_reduction/reduction.h"

#include "common/device_buffer.h"
#include "common/random.h"
#include "common/read_probe.h"
#include "tests/support/device_test.h"

namespace {

class ReadProbe : public DeviceTest, public testing::WithParamInterface<std::size_t> {};

// That it reads every element is in claims.csv; the simulator finds reads of anything else.
TEST_P(ReadProbe, ChangesNothing) {
  const std::vector<double> h_in = random_doubles(GetParam(), /*seed=*/1);
  const std::vector<char> h_workspace(kWorkspaceBytes, 42);
  const DeviceBuffer<double> d_in(h_in);
  DeviceBuffer<char> d_workspace(h_workspace);

  read_probe(d_in.data(), h_in.size(), d_workspace.data());

  EXPECT_EQ(d_in.to_host(), h_in);
  EXPECT_EQ(d_workspace.to_host(), h_workspace);
}

INSTANTIATE_TEST_SUITE_P(Sizes, ReadProbe, testing::Values(0, 1, 2, 255, 2047, 2048, 2049, 100003));

}  // namespace
