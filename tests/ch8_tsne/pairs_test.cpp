#include "chapters/ch8_tsne/pairs.h"

#include "chapters/ch8_tsne/pair_index.h"
#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "common/harness/random.h"
#include "tests/support/device_test.h"
#include "tests/support/guarded_array.h"
#include "tests/support/hidden_shapes.h"
#include "tests/support/launch_failure.h"

#include <cstddef>
#include <string>
#include <vector>

namespace {

class PairsBase : public DeviceTest {
 protected:
  // Fails unless pairs_at() returns these pairs, and writes nowhere else.
  static void expect_found(const std::vector<Pair>& pairs, int count) {
    std::vector<long long> numbers;
    for (const auto& [i, j] : pairs) numbers.push_back(pair_index(i, j, count));
    const DeviceBuffer<long long> d_numbers(numbers);
    const std::vector<int> unwritten(pairs.size(), -1);
    GuardedArray<int> d_i(unwritten), d_j(unwritten);
    pairs_at(d_numbers.data(), d_i.data(), d_j.data(), static_cast<int>(pairs.size()), count);
    expect_no_launch_error();
    EXPECT_EQ(d_numbers.to_host(), numbers) << "the numbers have changed";
    d_i.expect_intact_guards("d_i");
    d_j.expect_intact_guards("d_j");

    const std::vector<int> i = d_i.to_host(), j = d_j.to_host();
    std::size_t wrong = 0;
    std::string first, fact;
    for (std::size_t t = 0; t < pairs.size(); ++t) {
      if (i[t] == pairs[t].i && j[t] == pairs[t].j) continue;
      if (wrong++ > 0) continue;
      fact = format("first=%lld expected=%d:%d got=%d:%d", numbers[t], pairs[t].i, pairs[t].j, i[t],
                    j[t]);
      first = "pair " + std::to_string(numbers[t]) + ": expected (" + std::to_string(pairs[t].i) +
              ", " + std::to_string(pairs[t].j) + "), got (" + std::to_string(i[t]) + ", " +
              std::to_string(j[t]) + ").";
    }
    fact += format(" wrong=%zu size=%zu vectors=%d", wrong, pairs.size(), count);
    EXPECT_TRUE(right_or_fact(wrong == 0, fact))
        << wrong << " of " << pairs.size() << " pairs of " << count
        << " vectors are wrong. The first is " << first;
  }
};

class PairsOfFew : public PairsBase, public testing::WithParamInterface<int> {};

TEST_P(PairsOfFew, AreAllFound) {
  std::vector<Pair> pairs;
  for (int i = 0; i < GetParam(); ++i) {
    for (int j = i + 1; j < GetParam(); ++j) pairs.push_back({i, j});
  }
  expect_found(pairs, GetParam());
}

std::string count_name(const testing::TestParamInfo<int>& info) {
  return "n" + std::to_string(info.param);
}

// One pair, a few, a block of 256 and the sizes around it (253, 276), more than a block.
INSTANTIATE_TEST_SUITE_P(Counts, PairsOfFew, testing::Values(2, 3, 4, 23, 24, 101), count_name);

class PairsAtBorders : public PairsBase, public testing::WithParamInterface<int> {};

TEST_P(PairsAtBorders, OfEachRowAreFound) {
  const int count = GetParam();
  std::vector<Pair> pairs;
  for (int i = 0; i < count - 1; ++i) {
    pairs.push_back({i, i + 1});
    pairs.push_back({i, count - 1});
  }
  expect_found(pairs, count);
}

// Powers of two, where precision is most likely to end, and the first counts at which a float's
// root fails: 4098 and, counted from the last row, 4609. 46342: products exceed 2^31.
const std::vector<int> kCounts =
    with_hidden_shapes<1>(std::vector<int>{2048, 4098, 4609, 16384, 46342, kMaxCount},
                          [](const auto& numbers) { return numbers[0]; });

INSTANTIATE_TEST_SUITE_P(Counts, PairsAtBorders, testing::ValuesIn(kCounts), count_name);

class Pairs : public PairsBase {};

TEST_F(Pairs, OfTheMostVectorsAreFound) {
  std::vector<Pair> pairs;
  RandomBits bits(/*seed=*/1);
  while (pairs.size() < 5000) {
    const int i = static_cast<int>(bits() % kMaxCount), j = static_cast<int>(bits() % kMaxCount);
    if (i < j) pairs.push_back({i, j});
  }
  expect_found(pairs, kMaxCount);
}

TEST_F(Pairs, MayBeNone) { expect_found({}, 2); }

TEST_F(Pairs, ThrowIfTheyCannotBeLaunched) {
  test_error_handling();
  if (!fail_next_launch()) GTEST_SKIP() << "a GPU's launches do not fail when asked to";
  EXPECT_THROW(expect_found({{0, 1}}, 2), CudaError);
}

}  // namespace
