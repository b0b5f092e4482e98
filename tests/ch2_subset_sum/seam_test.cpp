#include "common/harness/random.h"
#include "tests/support/device_test.h"
#include "tests/support/trial.h"

#include <algorithm>
#include <vector>

std::vector<int> seam_costs_on_cpu(const std::vector<int>& energy, std::size_t rows,
                                   std::size_t cols);

namespace {

// Energies from 0 to `largest`.
std::vector<int> random_energies(std::size_t count, std::uint64_t seed, unsigned largest) {
  RandomBits bits(seed);
  std::vector<int> energies(count);
  for (int& energy : energies) energy = static_cast<int>(bits() % (largest + 1));
  return energies;
}

using SeamFirst = DeviceTest;
using SeamOnce = DeviceTest;

// Numbers that you can check with a pencil.
TEST_F(SeamFirst, AddsUpThreeRowsOfFour) {
  Trial trial({3, 4});
  trial.set<int>("energy", {3, 1, 4, 1,  //
                            5, 9, 2, 6,  //
                            5, 3, 5, 8});
  trial.run();
  trial.expect_right();
}

// Costs up to 9 * 200,000,000: none of them must be mistaken for "no such entry".
TEST_F(SeamOnce, AddsLargeEnergies) {
  const std::vector<int> energy = random_energies(9 * 523, /*seed=*/4, 200'000'000);
  Trial trial({9, 523});
  trial.set("energy", energy);
  trial.run();
  const bool is_right = trial.output<int>("cost") == seam_costs_on_cpu(energy, 9, 523);
  EXPECT_TRUE(right_or_fact(is_right, "array=cost on=large_energies"))
      << "with energies of up to 200,000,000 the costs are wrong";
}

TEST(SeamCostsOnCpu, AddUpThreeRowsOfFour) {
  const std::vector<int> energy{3, 1, 4, 1,  //
                                5, 9, 2, 6,  //
                                5, 3, 5, 8};
  const std::vector<int> cost{3,  1,  4, 1,  //
                              6,  10, 3, 7,  //
                              11, 6,  8, 11};
  EXPECT_EQ(seam_costs_on_cpu(energy, 3, 4), cost);
}

// Checked without the recurrence, by listing all seams of a small image.
TEST(SeamCostsOnCpu, AreTheCheapestOfAllSeams) {
  constexpr int kRows = 5, kCols = 4;
  const std::vector<int> energy = random_energies(kRows * kCols, /*seed=*/8, 255);
  std::vector<int> cheapest(kCols, kRows * 255 + 1);
  for (int start = 0; start < kCols; ++start) {
    for (int moves = 0; moves < 81; ++moves) {  // 3^4: left, straight or right in each row
      int col = start, sum = energy[start];
      for (int r = 1, left = moves; r < kRows && col >= 0; ++r, left /= 3) {
        col += left % 3 - 1;
        if (col >= kCols) col = -1;
        if (col >= 0) sum += energy[r * kCols + col];
      }
      if (col >= 0) cheapest[col] = std::min(cheapest[col], sum);
    }
  }
  const std::vector<int> cost = seam_costs_on_cpu(energy, kRows, kCols);
  EXPECT_EQ(std::vector<int>(cost.end() - kCols, cost.end()), cheapest);
}

}  // namespace
