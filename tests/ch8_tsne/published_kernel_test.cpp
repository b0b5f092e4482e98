// The lesson's statements on the bugs of a published kernel: its index of a pair, with the types as
// printed, and the results of its blocks. Also the effect of its layout on the kernel with one
// thread per pair.

#include "chapters/ch8_tsne/pair_index.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <set>
#include <utility>
#include <vector>

namespace {

// The row of a pair: a float's root, from integers of 32 bits; the rest in double, and rounded to a
// float before it is rounded down. No int overflows up to 23170 vectors.
int published_row(int number, int count) {
  const int radicand = -8 * number + 4 * count * (count - 1) - 7;
  const double root = sqrtf(static_cast<float>(radicand)) / 2.0 - 0.5;
  return count - 2 - static_cast<int>(floorf(static_cast<float>(root)));
}

// The number of wrong pairs: among all pairs, or among the first and the last of each row.
long long wrong_pairs(int count) {
  long long wrong = 0;
  int number = 0;
  for (int i = 0; i < count - 1; ++i) {
    for (int j = i + 1; j < count; ++j, ++number) wrong += published_row(number, count) != i;
  }
  return wrong;
}
bool has_wrong_row_end(int count) {
  for (int i = 0; i < count - 1; ++i) {
    for (const int j : {i + 1, count - 1}) {
      if (published_row(static_cast<int>(pair_index(i, j, count)), count) != i) return true;
    }
  }
  return false;
}

TEST(PublishedIndex, IsRightUpTo4608Vectors) {
  for (int count = 2; count <= 4608; ++count) ASSERT_FALSE(has_wrong_row_end(count)) << count;
}
TEST(PublishedIndex, HasAWrongRowEndFrom4609VectorsOn) { EXPECT_TRUE(has_wrong_row_end(4609)); }
TEST(PublishedIndex, FindsEachPairOf4098Vectors) { EXPECT_EQ(wrong_pairs(4098), 0); }
TEST(PublishedIndex, MissesTensOfThousandsOfPairsOf16384Vectors) {
  EXPECT_EQ(wrong_pairs(16384), 52914);
}

TEST(PublishedIndex, OverflowsAnIntFrom23171VectorsOn) {
  constexpr long long kMost = std::numeric_limits<int>::max();
  EXPECT_LE(4LL * 23170 * 23169, kMost);
  EXPECT_GT(4LL * 23171 * 23170, kMost);
}

constexpr int kSubset = 16, kVectors = 2 * kSubset;

// `lane + lane < 16 ? i : j` instead of `lane % 16 + 16 * (lane < 16 ? i : j)`.
int published_load(int lane, const Pair& subsets) {
  return lane + lane < kSubset ? subsets.i : subsets.j;
}

TEST(PublishedLoad, BringsTwoVectorsInPlaceOf32) {
  std::vector<int> loads;
  for (int lane = 0; lane < kVectors; ++lane) loads.push_back(published_load(lane, {2, 5}));
  std::vector<int> expected(8, 2);
  expected.resize(kVectors, 5);
  EXPECT_EQ(loads, expected);
}

// Result t of block b is stored at b * 496 + t, if there is such a distance.
TEST(PublishedOrder, IsByBlockAndItsGuardCutsOffNearlyHalf) {
  const long long offered = pair_count(16384 / kSubset) * pair_count(kVectors);
  EXPECT_EQ(offered, 259792896);
  EXPECT_EQ(pair_count(16384), 134209536);
  EXPECT_NEAR(1 - 134209536.0 / static_cast<double>(offered), 0.48, 0.005);
}

// Four subsets are a smaller case of 1024. Even with the load fixed, most results are in the slot
// of a different pair; as printed, all of them are.
TEST(PublishedOrder, PutsFewOfFourSubsetsInTheirPlaces) {
  constexpr int kSubsets = 4, kCount = kSubsets * kSubset;
  const auto kept = static_cast<int>(pair_count(kCount));
  const auto repaired_load = [](int lane, const Pair& subsets) {
    return lane % kSubset + kSubset * (lane < kSubset ? subsets.i : subsets.j);
  };
  int offered = 0, right = 0, right_if_repaired = 0;
  std::set<std::pair<int, int>> repeated, seen;
  for (int block = 0; block < pair_count(kSubsets); ++block) {
    const Pair subsets = pair_at(block, kSubsets);
    for (int t = 0; t < pair_count(kVectors); ++t, ++offered) {
      const auto [a, b] = pair_at(t, kVectors);
      const std::pair<int, int> made{repaired_load(a, subsets), repaired_load(b, subsets)};
      if (!seen.insert(made).second) repeated.insert(made);
      if (offered >= kept) continue;
      const auto [i, j] = pair_at(offered, kCount);
      right_if_repaired += made == std::pair{i, j};
      right += published_load(a, subsets) == i && published_load(b, subsets) == j;
    }
  }
  EXPECT_EQ(kept, 2016);
  EXPECT_EQ(offered, 2976);
  EXPECT_EQ(right, 0);
  EXPECT_EQ(right_if_repaired, 47);
  EXPECT_EQ(repeated.size(), 4u * 120);  // those inside each subset, in each of its three blocks
}

// The loads of a kernel with one thread per pair for one component of 256 transposed vectors: each
// warp has a request for its vectors i and one for its vectors j.
TEST(TransposedVectors, NeedFewSectorsWithOneThreadPerPair) {
  constexpr int kCount = 256, kWarp = 32, kSectorFloats = 8;
  std::size_t requests = 0, sectors = 0;
  for (int first = 0; first < pair_count(kCount); first += kWarp) {
    std::set<int> sectors_i, sectors_j;
    for (int number = first; number < first + kWarp; ++number) {
      const Pair pair = pair_at(number, kCount);
      sectors_i.insert(pair.i / kSectorFloats);
      sectors_j.insert(pair.j / kSectorFloats);
    }
    requests += 2;
    sectors += sectors_i.size() + sectors_j.size();
  }
  EXPECT_EQ(requests, 2040u);
  EXPECT_EQ(sectors, 6090u);
}

}  // namespace
