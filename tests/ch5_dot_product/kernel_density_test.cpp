#include "chapters/ch5_dot_product/kernel_density.h"
#include "chapters/ch5_dot_product/harness/kernel_density_reference.h"

#include "common/device_buffer.h"
#include "common/harness/compare.h"
#include "common/harness/random.h"
#include "tests/support/device_test.h"
#include "tests/support/guarded_array.h"
#include "tests/support/hidden_shapes.h"
#include "tests/support/launch_failure.h"
#include "tests/support/wrong_elements.h"
#include "tests/support/wrong_pattern.h"

#include <vector>

namespace {

constexpr double kBandwidth = 0.25;
constexpr double kLargestZ = 2 / kBandwidth;  // samples and points are from -1 to 1
constexpr std::size_t kPlainBytes = 48 * 1024, kTooMany = 227 * 1024;

struct Lengths {
  std::size_t samples, points, chunk;
};
std::ostream& operator<<(std::ostream& os, const Lengths& lengths) {
  return os << lengths.samples << " samples, " << lengths.points << " points, chunks of "
            << lengths.chunk;
}

class KernelDensity : public DeviceTest, public testing::WithParamInterface<Lengths> {};

TEST_P(KernelDensity, MatchesReference) {
  const auto [samples, points, chunk] = GetParam();
  const std::vector<double> h_samples = random_doubles(samples, /*seed=*/1);
  const std::vector<double> h_points = random_doubles(points, /*seed=*/2);
  const DeviceBuffer<double> d_samples(h_samples), d_points(h_points);
  GuardedArray<double> density(std::vector<double>(points, NAN));

  kernel_density(d_samples.data(), samples, d_points.data(), density.data(), points, kBandwidth,
                 chunk);

  EXPECT_STREQ(cudaGetErrorName(cudaGetLastError()), "cudaSuccess");
  const std::vector<double> expected = kernel_density_reference(h_samples, h_points, kBandwidth);
  const std::vector<double> actual = density.to_host();
  const auto mismatch = find_mismatch(actual, expected, density_tolerance(samples, kLargestZ));
  const auto is_right = [&, samples = samples](double value, std::size_t i) {
    return !find_mismatch<double>({value}, {expected[i]}, density_tolerance(samples, kLargestZ));
  };
  record_elements(
      actual, points, is_right, [&](std::size_t i) { return expected[i]; }, "density");
  EXPECT_FALSE(mismatch) << mismatch_text(*mismatch, "density", actual, expected)
                         << wrong_pattern(actual, points, is_right, "density");
  density.expect_intact_guards("density");
}

// One of each; chunks of one, of a block's threads and the sizes around it; a last chunk that is
// not full; more room than samples; several blocks.
const std::vector<Lengths> kLengths = with_hidden_shapes<3>(
    std::vector<Lengths>{{1, 1, 1},
                         {1, 3, 100},
                         {7, 5, 1},
                         {255, 31, 256},
                         {257, 33, 256},
                         {600, 255, 257},
                         {513, 257, 64},
                         {100, 600, 33}},
    [](const std::array<int, 3>& lengths) {
      const auto [samples, points, chunk] = lengths;
      return Lengths{static_cast<std::size_t>(samples), static_cast<std::size_t>(points),
                     static_cast<std::size_t>(chunk)};
    });

INSTANTIATE_TEST_SUITE_P(Lengths, KernelDensity, testing::ValuesIn(kLengths));

class KernelDensityOfLargeChunks : public DeviceTest {
 protected:
  static void run(std::size_t samples, std::size_t chunk) {
    const std::vector<double> h_samples = random_doubles(samples, /*seed=*/1), h_points{-0.3};
    const DeviceBuffer<double> d_samples(h_samples), d_points(h_points);
    DeviceBuffer<double> d_density(1);
    d_density.fill_bytes(0xff);
    kernel_density(d_samples.data(), samples, d_points.data(), d_density.data(), 1, kBandwidth,
                   chunk);
    const bool is_right = !find_mismatch(d_density.to_host(),
                                         kernel_density_reference(h_samples, h_points, kBandwidth),
                                         density_tolerance(samples, kLargestZ));
    EXPECT_TRUE(right_or_fact(is_right, "result=wrong size=" + std::to_string(samples)))
        << samples << " samples in chunks of " << chunk;
  }
};

TEST_F(KernelDensityOfLargeChunks, TakesWhatALaunchMayJustTake) {
  run(kPlainBytes / sizeof(double), kPlainBytes / sizeof(double));
}

TEST_F(KernelDensityOfLargeChunks, AsksForMoreThan48Kilobytes) {
  run(kPlainBytes / sizeof(double) + 1, kPlainBytes / sizeof(double) + 1);
}

// The maximum of shared memory per block depends on the GPU.
TEST_F(KernelDensityOfLargeChunks, TakesAllThatABlockMayHave) {
  int most_bytes = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&most_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  run(1000, static_cast<std::size_t>(most_bytes) / sizeof(double));
}

TEST_F(KernelDensityOfLargeChunks, SaysSoWhenABlockCannotHaveThatMuch) {
  test_error_handling();
  EXPECT_THROW(run(1000, kTooMany), CudaError);  // 8 times as many bytes
  cudaGetLastError();                            // the error stays until it is read
  take_device_findings();                        // the simulator reports why it refused the launch
}

using KernelDensityOnce = DeviceTest;

TEST_F(KernelDensityOnce, DoesNothingForNoPoints) {
  const DeviceBuffer<double> d_samples(random_doubles(5, /*seed=*/1));
  kernel_density(d_samples.data(), 5, nullptr, nullptr, 0, kBandwidth, 3);
  EXPECT_STREQ(cudaGetErrorName(cudaGetLastError()), "cudaSuccess");
}

TEST_F(KernelDensityOnce, ReportsALaunchThatFails) {
  test_error_handling();
  const DeviceBuffer<double> d_samples(random_doubles(5, /*seed=*/1)),
      d_points(d_samples.to_host());
  DeviceBuffer<double> d_density(5);
  if (!fail_next_launch()) GTEST_SKIP() << "only the simulator can make any launch fail";
  EXPECT_THROW(
      kernel_density(d_samples.data(), 5, d_points.data(), d_density.data(), 5, kBandwidth, 3),
      CudaError);
  take_device_findings();  // the simulator reports why it refused the launch
}

}  // namespace
