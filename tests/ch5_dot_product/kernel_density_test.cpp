#include "common/cuda_check.h"
#include "tests/support/device_findings.h"
#include "tests/support/device_test.h"
#include "tests/support/trial.h"

#include <cstddef>

namespace {

constexpr std::size_t kPlain = 48 * 1024 / sizeof(double);  // what any launch can have

class KernelDensityOfLargeChunks : public DeviceTest {
 protected:
  static Trial with_two_points(std::size_t samples, std::size_t chunk) {
    Trial trial({samples, 2, chunk});
    trial.set<double>("points", {-0.3, 0.7});
    return trial;
  }
  static void expect_right(std::size_t samples, std::size_t chunk) {
    Trial trial = with_two_points(samples, chunk);
    trial.run();
    trial.expect_right();
  }
};

TEST_F(KernelDensityOfLargeChunks, TakesWhatALaunchMayJustTake) { expect_right(kPlain, kPlain); }

TEST_F(KernelDensityOfLargeChunks, AsksForMoreThan48Kilobytes) {
  expect_right(kPlain + 1, kPlain + 1);
}

// The maximum of shared memory per block depends on the GPU.
TEST_F(KernelDensityOfLargeChunks, TakesAllThatABlockMayHave) {
  int most_bytes = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&most_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  expect_right(1000, static_cast<std::size_t>(most_bytes) / sizeof(double));
}

TEST_F(KernelDensityOfLargeChunks, SaysSoWhenABlockCannotHaveThatMuch) {
  test_error_handling();
  Trial trial = with_two_points(1000, 227 * 1024);  // 8 times as many bytes
  try {
    trial.call();
    ADD_FAILURE() << "A launch needs more shared memory than a block can have. It fails, and no "
                     "CudaError says so.";
  } catch (const CudaError&) {
  }
  cudaGetLastError();      // the error stays until it is read
  take_device_findings();  // the simulator reports why it refused the launch
}

}  // namespace
