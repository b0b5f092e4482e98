#include "chapters/ch5_dot_product/chunks/chunks.h"
#include "chapters/ch5_dot_product/harness/chunks_reference.h"

#include "common/cuda_check.h"
#include "tests/support/device_test.h"
#include "tests/support/guarded_array.h"
#include "tests/support/launch_failure.h"

#include <cmath>
#include <cstdio>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Extents {
  std::size_t rows;
  int columns;
  unsigned blocks;
};
std::ostream& operator<<(std::ostream& os, const Extents& extents) {
  return os << extents.rows << " x " << extents.columns << " by " << extents.blocks << " blocks";
}

std::vector<float> run(const std::vector<float>& by_rows, const Extents& extents,
                       cudaStream_t stream = nullptr) {
  const auto [rows, columns, blocks] = extents;
  const std::vector<float> h_x = in_order(by_rows, rows, columns, order());
  const DeviceBuffer<float> d_x(h_x);  // no padding: the simulator finds a load past the end
  GuardedArray<float> sums(std::vector<float>(std::size_t{blocks} * kChunkRows, NAN));
  read_chunks(d_x.data(), rows, columns, blocks, sums.data(), stream);
  EXPECT_STREQ(cudaGetErrorName(cudaGetLastError()), "cudaSuccess");
  CUDA_CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQ(d_x.to_host(), h_x) << "the matrix has changed";
  sums.expect_intact_guards("the sums");
  return sums.to_host();
}

// Fails if a sum is wrong, and names the first such thread.
void expect_right(const Extents& extents, cudaStream_t stream = nullptr) {
  const std::vector<float> by_rows = small_integers(extents.rows, extents.columns, /*seed=*/1);
  const std::vector<float> actual = run(by_rows, extents, stream);
  const std::vector<float> expected =
      read_chunks_reference(by_rows, extents.rows, extents.columns, extents.blocks);
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    right_or_fact(actual[i] == expected[i],
                  format("wrong=sum thread=%zu block=%zu", i % kChunkRows, i / kChunkRows));
    ASSERT_EQ(actual[i], expected[i])
        << extents << ": thread " << i % kChunkRows << " of block " << i / kChunkRows;
  }
}

class ReadChunks : public DeviceTest, public testing::WithParamInterface<Extents> {};

TEST_P(ReadChunks, AddsUpTheNeighboursRows) { expect_right(GetParam()); }

// One row; a warp; a chunk and the sizes around it; a last chunk of one row; several chunks.
INSTANTIATE_TEST_SUITE_P(Extents, ReadChunks,
                         testing::Values(Extents{1, 1, 1}, Extents{5, 10, 2}, Extents{31, 3, 1},
                                         Extents{33, 2, 1}, Extents{1023, 1, 1},
                                         Extents{1024, 3, 2}, Extents{1025, 10, 1},
                                         Extents{3000, 2, 2}));

using ReadChunksOnce = DeviceTest;

TEST_F(ReadChunksOnce, TakesWhatALaunchMayJustTake) {
  EXPECT_EQ(chunk_bytes(12), 48u * 1024);
  expect_right({40, 12, 1});
}

TEST_F(ReadChunksOnce, AsksForMoreThan48KiB) { expect_right({40, 13, 1}); }

TEST_F(ReadChunksOnce, TakesAllThatABlockMayHave) {
  int most_bytes = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&most_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  expect_right({40, most_bytes / static_cast<int>(chunk_bytes(1)), 1});
}

TEST_F(ReadChunksOnce, NamesTheSizesWhereThatIsTooMuch) {
  int most_bytes = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&most_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  std::string message;
  try {
    run(small_integers(5, 100, /*seed=*/1), {5, 100, 1});
  } catch (const std::runtime_error& error) {
    message = error.what();
  }
  char most[32];
  std::snprintf(most, sizeof(most), "%.1f KiB at most", most_bytes / 1024.0);
  EXPECT_EQ(message, std::string("too much shared memory for a block: 400.0 KiB requested, "
                                 "48.0 KiB by default, ") +
                         most);
}

TEST_F(ReadChunksOnce, RunsInTheStreamItIsGiven) {
  cudaStream_t stream = nullptr;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  expect_right({100, 3, 1}, stream);
  CUDA_CHECK(cudaStreamDestroy(stream));
}

TEST_F(ReadChunksOnce, ReportsALaunchThatFails) {
  test_error_handling();
  const DeviceBuffer<float> d_x(std::vector<float>(20, 1.0f));
  DeviceBuffer<float> d_sums(kChunkRows);
  if (!fail_next_launch()) GTEST_SKIP() << "only the simulator can make any launch fail";
  EXPECT_THROW(read_chunks(d_x.data(), 10, 2, 1, d_sums.data()), CudaError);
  take_device_findings();  // the simulator reports why it refused the launch
}

}  // namespace
