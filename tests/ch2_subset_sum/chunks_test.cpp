#include "chapters/ch2_subset_sum/chunks.h"
#include "chapters/ch2_subset_sum/last_column.h"
#include "chapters/ch2_subset_sum/subset_sum.h"

#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "tests/support/device_test.h"

#include <algorithm>
#include <vector>

namespace {

TEST(ChunksToTry, AreFromOneToAllThatAStageTakes) {
  const std::vector<int> chunks = chunks_to_try();
  EXPECT_EQ(chunks.front(), 1);
  EXPECT_EQ(chunks.back(), 32);
  EXPECT_TRUE(std::is_sorted(chunks.begin(), chunks.end()));
}

TEST(ChunksToTry, AreThePublishedOnesToo) {
  const std::vector<int> chunks = chunks_to_try();
  for (const int chunk : {2, 4, 8, 16}) {
    EXPECT_EQ(std::count(chunks.begin(), chunks.end(), chunk), 1) << chunk;
  }
}

using Sweep = DeviceTest;

TEST_F(Sweep, FillsTheSameTableWithEachChunk) {
  const std::vector<int> items = random_items(10, 100, /*seed=*/1);
  const int target = 1007;
  const TableLayout layout = all_columns(items.size(), target);
  for (const int chunk : chunks_to_try()) {
    DeviceBuffer<std::uint8_t> d_table(layout.bytes());
    d_table.fill_bytes(0xff);
    subset_sum(items, target, d_table.data(), chunk);
    CUDA_CHECK(cudaDeviceSynchronize());
    const std::vector<std::uint8_t> table = d_table.to_host();
    for (std::size_t j = 0; j <= items.size(); ++j) {
      const auto first = table.begin() + static_cast<std::ptrdiff_t>(j * layout.column_bytes);
      const std::vector<int> prefix(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(j));
      EXPECT_EQ(std::vector<std::uint8_t>(first, first + target + 1),
                last_column_in_one_loop(prefix, target))
          << "column " << j << " with chunks of " << chunk;
    }
  }
}

}  // namespace
