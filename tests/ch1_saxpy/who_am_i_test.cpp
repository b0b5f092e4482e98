#include "chapters/ch1_saxpy/who_am_i.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "tests/support/array_operation_tests.h"
#include "tests/support/guarded_array.h"

#include <vector>

namespace {

class WhoAmIBase : public ArrayOperationTest {
 protected:
  // Fails unless the call launched a thread for each element, and no block without elements.
  static void expect_grid_of(int n, int threads) {
    const LaunchesSeen launches = expect_blocks_of(threads);
    const unsigned needed = ceil_div(n, threads);
    if (launches.count > 0 && launches.grid.x != needed) {
      record_fact("launch=block_count blocks=" + std::to_string(launches.grid.x));
      ADD_FAILURE() << n << " elements in blocks of " << threads << " threads need " << needed
                    << (needed == 1 ? " block" : " blocks") << ", but the launch has "
                    << launches.grid.x;
    }
  }
};

using WhoAmIFirst = WhoAmIBase;

// Runs before all other tests.
TEST_F(WhoAmIFirst, NamesFiveThreadsInBlocksOfTwo) {
  const std::vector<int> unwritten(5, -1);
  DeviceBuffer<int> d_block(unwritten), d_thread(unwritten), d_element(unwritten);

  who_am_i(d_block.data(), d_thread.data(), d_element.data(), 5, /*threads=*/2);

  expect_no_launch_error();
  expect_equal(d_element.to_host(), {0, 1, 2, 3, 4}, "element");
  expect_equal(d_block.to_host(), {0, 0, 1, 1, 2}, "block");
  expect_equal(d_thread.to_host(), {0, 1, 0, 1, 0}, "thread");
  expect_grid_of(5, 2);
}

class WhoAmITest : public WhoAmIBase, public testing::WithParamInterface<ArrayLaunch> {};

TEST_P(WhoAmITest, NamesTheThreadOfEachElement) {
  const auto [n, threads] = GetParam();
  std::vector<int> expected_block, expected_thread, expected_element;
  for (int i = 0; i < n; ++i) {
    expected_block.push_back(i / threads);
    expected_thread.push_back(i % threads);
    expected_element.push_back(i);
  }
  const std::vector<int> unwritten(n, -1);
  GuardedArray<int> block(unwritten), thread(unwritten), element(unwritten);

  who_am_i(block.data(), thread.data(), element.data(), n, threads);

  expect_no_launch_error();
  expect_equal(element.to_host(), expected_element, "element");
  expect_equal(block.to_host(), expected_block, "block");
  expect_equal(thread.to_host(), expected_thread, "thread");
  expect_grid_of(n, threads);
  block.expect_intact_guards("block");
  thread.expect_intact_guards("thread");
  element.expect_intact_guards("element");
}

INSTANTIATE_TEST_SUITE_P(Launches, WhoAmITest, testing::ValuesIn(kArrayLaunches), launch_name);

using WhoAmIOnce = ArrayOperationTest;

TEST_F(WhoAmIOnce, RunsInTheStreamItIsGiven) {
  constexpr int kCount = 1003;
  const std::vector<int> unwritten(kCount, -1);
  DeviceBuffer<int> d_block(unwritten), d_thread(unwritten), d_element(unwritten);
  std::vector<int> element(kCount), expected;
  for (int i = 0; i < kCount; ++i) expected.push_back(i);
  cudaStream_t stream = nullptr;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

  who_am_i(d_block.data(), d_thread.data(), d_element.data(), kCount, 256, stream);
  CUDA_CHECK(cudaMemcpyAsync(element.data(), d_element.data(), d_element.size_bytes(),
                             cudaMemcpyDeviceToHost, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  CUDA_CHECK(cudaStreamDestroy(stream));

  expect_no_launch_error();
  expect_equal(element, expected, "element");
}

TEST_F(WhoAmIOnce, DoesNothingForNoElements) {
  who_am_i(nullptr, nullptr, nullptr, 0, 256);
  expect_no_launch_error();
}

class WhoAmIRefusal : public ArrayOperationTest, public testing::WithParamInterface<int> {};

TEST_P(WhoAmIRefusal, ThrowsWhenABlockIsTooLarge) {
  test_error_handling();
  DeviceBuffer<int> d_block(100), d_thread(100), d_element(100);
  try {
    who_am_i(d_block.data(), d_thread.data(), d_element.data(), 100, GetParam());
    add_missing_refusal("who_am_i()", GetParam());
  } catch (const CudaError&) {
  }
  cudaGetLastError();
}

INSTANTIATE_TEST_SUITE_P(Threads, WhoAmIRefusal, testing::Values(1025, 2000));

}  // namespace
