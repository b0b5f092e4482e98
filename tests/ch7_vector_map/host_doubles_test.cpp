#include "chapters/ch7_vector_map/host_doubles/host_double.h"

#include "tests/support/device_test.h"

namespace {

using HostDoubleOnce = DeviceTest;

TEST_F(HostDoubleOnce, DoesNothingForNoElements) { host_double_map(nullptr, nullptr, nullptr, 0); }

}  // namespace
