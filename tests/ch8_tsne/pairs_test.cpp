#include "chapters/ch8_tsne/pairs.h"
#include "chapters/ch8_tsne/pair_index.h"
#include "common/harness/random.h"
#include "tests/support/device_test.h"
#include "tests/support/trial.h"

#include <vector>

Pair pair_in_its_row(long long number, int count);

namespace {

using PairsOnce = DeviceTest;

TEST_F(PairsOnce, OfTheMostVectorsAreFound) {
  Trial trial({kMaxCount});
  std::vector<long long> numbers;
  RandomBits bits(/*seed=*/1);
  while (numbers.size() < trial.input<long long>("numbers").size()) {
    const int i = static_cast<int>(bits() % kMaxCount), j = static_cast<int>(bits() % kMaxCount);
    if (i < j) numbers.push_back(pair_index(i, j, kMaxCount));
  }
  trial.set("numbers", numbers);
  trial.run();
  trial.expect_right();
}

TEST_F(PairsOnce, MayBeNone) {
  pairs_at(nullptr, nullptr, nullptr, /*size=*/0, /*count=*/2);
  expect_no_launch_error();
}

TEST(PairInItsRow, IsThePairWithThatNumber) {
  for (const int count : {2, 3, 4, 33, 500}) {
    long long number = 0;
    for (int i = 0; i < count; ++i) {
      for (int j = i + 1; j < count; ++j, ++number) {
        const Pair pair = pair_in_its_row(number, count);
        ASSERT_EQ(pair.i, i) << "pair " << number << " of " << count << " vectors";
        ASSERT_EQ(pair.j, j) << "pair " << number << " of " << count << " vectors";
      }
    }
  }
  for (int i = 0; i + 1 < kMaxCount; i += 7) {
    ASSERT_EQ(pair_in_its_row(pair_index(i, i + 1, kMaxCount), kMaxCount).i, i);
    ASSERT_EQ(pair_in_its_row(pair_index(i, kMaxCount - 1, kMaxCount), kMaxCount).i, i);
  }
}

}  // namespace
