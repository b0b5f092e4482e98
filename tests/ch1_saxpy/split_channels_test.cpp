#include "chapters/ch1_saxpy/split_channels.h"

#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "common/harness/random.h"
#include "tests/support/array_operation_tests.h"
#include "tests/support/guarded_array.h"

#include <cmath>
#include <cstddef>
#include <vector>

namespace {

std::vector<float> by_channel(const std::vector<float>& by_frame) {
  const std::size_t frames = by_frame.size() / kChannels;
  std::vector<float> expected(by_frame.size());
  for (std::size_t i = 0; i < by_frame.size(); ++i) {
    expected[i % kChannels * frames + i / kChannels] = by_frame[i];
  }
  return expected;
}

// Random values, all of them different, so a float in the wrong position is always found.
std::vector<float> recording(int frames, int seed) {
  std::vector<float> values(kChannels * static_cast<std::size_t>(frames));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const std::vector<float> random = random_floats(values.size(), seed);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += 0.25f * random[i];
  return values;
}

// Fails with the elements that differ, unless `actual` is in the order of channels.
void expect_channels(const std::vector<float>& actual, const std::vector<float>& h_in) {
  const std::vector<float> expected = by_channel(h_in);
  const std::size_t frames = h_in.size() / kChannels;
  expect_equal(actual, expected, "out", frames);
}

using SplitChannelsFirst = ArrayOperationTest;

// Runs before all other tests. Channel c of frame f is 10 * f + c.
TEST_F(SplitChannelsFirst, SplitsTwoFrames) {
  const std::vector<float> h_in{0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17};
  const DeviceBuffer<float> d_in(h_in);
  DeviceBuffer<float> d_out(h_in.size());
  d_out.fill_bytes(0xff);  // NaN: an element that is not written never compares equal

  split_channels(d_in.data(), d_out.data(), 2, /*threads=*/32);

  expect_no_launch_error();
  expect_channels(d_out.to_host(), h_in);
  expect_blocks_of(32);
}

class SplitChannelsTest : public ArrayOperationTest,
                          public testing::WithParamInterface<ArrayLaunch> {};

// The arrays end where the data ends, so the simulator finds a read past the end.
TEST_P(SplitChannelsTest, MatchesReference) {
  const auto [frames, threads] = GetParam();
  const std::vector<float> h_in = recording(frames, /*seed=*/1);
  const DeviceBuffer<float> d_in(h_in);
  DeviceBuffer<float> d_out(h_in.size());
  d_out.fill_bytes(0xff);  // NaN: an element that is not written never compares equal

  split_channels(d_in.data(), d_out.data(), frames, threads);

  expect_no_launch_error();
  expect_channels(d_out.to_host(), h_in);
  expect_blocks_of(threads);
}

TEST_P(SplitChannelsTest, WritesNothingElse) {
  const auto [frames, threads] = GetParam();
  const std::vector<float> h_in = recording(frames, /*seed=*/2);
  GuardedArray<float> in(h_in), out(std::vector<float>(h_in.size(), NAN));

  split_channels(in.data(), out.data(), frames, threads);

  expect_no_launch_error();
  out.expect_intact_guards("out");
  expect_equal(in.to_host(), h_in, "in");
}

INSTANTIATE_TEST_SUITE_P(Launches, SplitChannelsTest, testing::ValuesIn(kArrayLaunches),
                         launch_name);

using SplitChannelsOnce = ArrayOperationTest;

TEST_F(SplitChannelsOnce, RunsInTheStreamItIsGiven) {
  constexpr int kFrames = 1003;
  const std::vector<float> h_in = recording(kFrames, /*seed=*/3);
  DeviceBuffer<float> d_in(h_in), d_out(h_in.size());
  d_out.fill_bytes(0xff);
  std::vector<float> h_out(h_in.size());
  cudaStream_t stream = nullptr;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

  split_channels(d_in.data(), d_out.data(), kFrames, 256, stream);
  CUDA_CHECK(cudaMemcpyAsync(h_out.data(), d_out.data(), d_out.size_bytes(), cudaMemcpyDeviceToHost,
                             stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  CUDA_CHECK(cudaStreamDestroy(stream));

  expect_no_launch_error();
  expect_channels(h_out, h_in);
}

TEST_F(SplitChannelsOnce, DoesNothingForNoFrames) {
  split_channels(nullptr, nullptr, 0, 256);
  expect_no_launch_error();
}

class SplitChannelsRefusal : public ArrayOperationTest, public testing::WithParamInterface<int> {};

TEST_P(SplitChannelsRefusal, ThrowsWhenABlockIsTooLarge) {
  test_error_handling();
  const DeviceBuffer<float> d_in(recording(100, /*seed=*/4));
  DeviceBuffer<float> d_out(kChannels * 100);
  try {
    split_channels(d_in.data(), d_out.data(), 100, GetParam());
    add_missing_refusal("split_channels()", GetParam());
  } catch (const CudaError&) {
  }
  cudaGetLastError();
}

INSTANTIATE_TEST_SUITE_P(Threads, SplitChannelsRefusal, testing::Values(1025, 2000));

}  // namespace
