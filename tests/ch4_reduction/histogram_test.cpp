#include "chapters/ch4_reduction/histogram.h"
#include "chapters/ch4_reduction/harness/histogram_reference.h"

#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "common/harness/format.h"
#include "tests/support/device_test.h"
#include "tests/support/guarded_array.h"
#include "tests/support/hidden_shapes.h"
#include "tests/support/wrong_pattern.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

constexpr unsigned kLeftBefore = 1'000'000;  // a counter that is not set to 0 is found

// Fails with the number of wrong bins and the first one, unless all are equal.
void expect_equal(const std::vector<unsigned>& bins, const std::vector<unsigned>& expected) {
  const auto is_right = [&](unsigned count, std::size_t bin) { return count == expected[bin]; };
  std::size_t first = bins.size(), wrong = 0;
  for (std::size_t bin = bins.size(); bin-- > 0;) {
    if (is_right(bins[bin], bin)) continue;
    first = bin;
    ++wrong;
  }
  if (wrong == 0) return;
  ADD_FAILURE() << wrong << " of " << bins.size() << " elements are wrong. The first is bins["
                << first << "]: expected " << expected[first] << ", got " << bins[first] << "."
                << wrong_pattern(bins, bins.size(), is_right, "bins");
}

class HistogramTest : public DeviceTest, public testing::WithParamInterface<std::size_t> {
 protected:
  // Fails unless the counts are right, the input is unchanged, and nothing else was written.
  static void expect_counts_of(const std::vector<std::uint8_t>& h_in, std::size_t offset = 0,
                               cudaStream_t stream = nullptr) {
    GuardedArray<std::uint8_t> in(h_in, offset);
    GuardedArray<unsigned> bins(std::vector<unsigned>(kHistogramBins, kLeftBefore));

    histogram(in.data(), bins.data(), h_in.size(), stream);

    expect_no_launch_error();
    CUDA_CHECK(cudaStreamSynchronize(stream));
    expect_equal(bins.to_host(), histogram_reference(h_in));
    bins.expect_intact_guards("bins");
    EXPECT_TRUE(right_or_fact(in.to_host() == h_in, "changed=in")) << "the input has changed";
  }
};

using HistogramFirst = HistogramTest;
using HistogramOnce = HistogramTest;

// Runs before all other tests, with numbers that you can check in your head.
TEST_F(HistogramFirst, CountsTenBytes) { expect_counts_of({3, 1, 4, 1, 5, 9, 2, 6, 5, 3}); }

TEST_P(HistogramTest, MatchesReference) {
  SCOPED_TRACE(format("%zu bytes", GetParam()));
  expect_counts_of(random_bytes(GetParam(), /*seed=*/GetParam(), 0, 255));
}

// None; one; a warp, a block and 4096 bytes, each also with one less and one more; primes.
INSTANTIATE_TEST_SUITE_P(Sizes, HistogramTest,
                         testing::ValuesIn(with_hidden_sizes({0, 1, 2, 31, 32, 33, 255, 256, 257,
                                                              1025, 4095, 4096, 4097, 10007,
                                                              100003})));

TEST_F(HistogramOnce, CountsEqualBytes) {
  for (const unsigned byte : {0, 127, 128, 255}) {
    SCOPED_TRACE(format("5000 bytes, all equal to %u", byte));
    expect_counts_of(random_bytes(5000, /*seed=*/1, byte, byte));
  }
}

TEST_F(HistogramOnce, TakesAnyAddress) {
  for (const std::size_t offset : {1, 2, 3, 7}) {
    SCOPED_TRACE(format("the input starts %zu bytes after a multiple of 256", offset));
    expect_counts_of(random_bytes(9001, /*seed=*/offset, 0, 255), offset);
  }
}

TEST_F(HistogramOnce, RunsInTheStreamItIsGiven) {
  cudaStream_t stream = nullptr;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  expect_counts_of(random_bytes(10007, /*seed=*/2, 0, 255), /*offset=*/0, stream);
  CUDA_CHECK(cudaStreamDestroy(stream));
}

TEST_F(HistogramOnce, ReportsALaunchThatFails) {
  test_error_handling();
  const DeviceBuffer<std::uint8_t> d_in(random_bytes(1000, /*seed=*/3, 0, 255));
  DeviceBuffer<unsigned> d_bins(kHistogramBins);
  if (!fail_next_launch()) GTEST_SKIP() << "only the simulator can make any launch fail";
  EXPECT_THROW(histogram(d_in.data(), d_bins.data(), d_in.size()), CudaError);
  take_device_findings();  // the simulator reports why a launch was refused
}

}  // namespace
