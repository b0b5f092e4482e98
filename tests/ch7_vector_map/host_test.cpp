#include "chapters/ch7_vector_map/host/host_map.h"

#include "tests/support/device_test.h"
#include "tests/support/trial.h"

namespace {

using HostMapOnce = DeviceTest;

// More than a chunk of 2^20 elements, and not a multiple of it.
TEST_F(HostMapOnce, MatchesReferenceForSeveralChunks) {
  Trial trial({(1 << 20) + 70003}, /*seed=*/3);
  trial.run();
  trial.expect_right();
}

TEST_F(HostMapOnce, DoesNothingForNoElements) { host_map(nullptr, nullptr, nullptr, nullptr, 0); }

}  // namespace
