#include "chapters/ch12_scan/baselines/cpu.h"

#include "tests/support/cpu_threads_test.h"

#include <gtest/gtest.h>

#include <vector>

TEST(ScanOnCpu, IsRightWithAnyNumberOfThreads) {
  for (const unsigned threads : {1u, 2u, 3u, 16u}) {
    for (const std::size_t size : {0, 1, 7, 16, 17, 1000}) {
      std::vector<int> in(size), out(size), right(size);
      for (std::size_t i = 0; i < size; ++i) {
        in[i] = static_cast<int>(7 * i % 13) - 5;
        right[i] = in[i] + (i > 0 ? right[i - 1] : 0);
      }
      scan_on_cpu(in.data(), out.data(), size, threads);
      EXPECT_EQ(out, right) << size << " ints, " << threads << " threads";
    }
  }
}
