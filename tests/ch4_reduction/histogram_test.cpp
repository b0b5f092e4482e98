#include "common/harness/format.h"
#include "common/harness/random.h"
#include "tests/support/device_test.h"
#include "tests/support/trial.h"

#include <cstdint>
#include <vector>

namespace {

using HistogramFirst = DeviceTest;
using HistogramOnce = DeviceTest;

void expect_counts_of(const std::vector<std::uint8_t>& bytes) {
  Trial trial({bytes.size()});
  trial.set("in", bytes);
  trial.run();
  trial.expect_right();
}

// Runs before all other tests, with numbers that you can check in your head.
TEST_F(HistogramFirst, CountsTenBytes) { expect_counts_of({3, 1, 4, 1, 5, 9, 2, 6, 5, 3}); }

TEST_F(HistogramOnce, CountsEveryValue) {
  RandomBits bits(/*seed=*/1);
  for (const std::size_t size : {1, 2, 31, 33, 255, 256, 257, 1025, 4095, 4097, 10007, 100003}) {
    std::vector<std::uint8_t> bytes(size);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(bits() >> 56);
    expect_counts_of(bytes);
  }
}

TEST_F(HistogramOnce, CountsEqualBytes) {
  for (const unsigned byte : {0, 127, 128, 255}) {
    SCOPED_TRACE(format("5000 bytes, all equal to %u", byte));
    expect_counts_of(std::vector<std::uint8_t>(5000, static_cast<std::uint8_t>(byte)));
  }
}

}  // namespace
