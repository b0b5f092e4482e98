#include "chapters/ch5_dot_product/chunks/chunks.h"

#include "common/cuda_check.h"
#include "common/harness/format.h"
#include "tests/support/device_test.h"
#include "tests/support/trial.h"

#include <stdexcept>
#include <string>

namespace {

using ReadChunksOnce = DeviceTest;

void expect_right(const Shape& shape) {
  Trial trial(shape);
  trial.run();
  trial.expect_right();
}

int most_bytes_of_a_block() {
  int most_bytes = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&most_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  return most_bytes;
}

TEST_F(ReadChunksOnce, TakesWhatALaunchMayJustTake) {
  EXPECT_EQ(chunk_bytes(12), 48u * 1024);
  expect_right({40, 12, 1});
}

TEST_F(ReadChunksOnce, AsksForMoreThan48KiB) { expect_right({40, 13, 1}); }

TEST_F(ReadChunksOnce, TakesAllThatABlockMayHave) {
  expect_right({40, static_cast<std::size_t>(most_bytes_of_a_block()) / chunk_bytes(1), 1});
}

TEST_F(ReadChunksOnce, NamesTheSizesWhereThatIsTooMuch) {
  Trial trial({5, 100, 1});
  std::string message;
  try {
    trial.run();
  } catch (const std::runtime_error& error) {
    message = error.what();
  }
  EXPECT_EQ(message,
            "too much shared memory for a block: 400.0 KiB requested, 48.0 KiB by default, " +
                format("%.1f KiB at most", most_bytes_of_a_block() / 1024.0));
}

}  // namespace
