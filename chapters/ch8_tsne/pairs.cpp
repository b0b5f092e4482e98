#include "pairs.h"

#include "pair_index.h"

#include "common/harness/operation.h"

// The pair with that number. Its row i is the last one that does not begin after it: rows before
// row i have pair_index(i, i + 1, count) pairs together. This search needs no root.
Pair pair_in_its_row(long long number, int count) {
  int i = 0, end = count - 1;
  while (end - i > 1) {
    const int middle = i + (end - i) / 2;
    (pair_index(middle, middle + 1, count) <= number ? i : end) = middle;
  }
  return {i, static_cast<int>(number - pair_index(i, i + 1, count)) + i + 1};
}

namespace {

constexpr int kFew = 128;  // vectors, of which all pairs are computed

struct PairsAt final : Computation {
  explicit PairsAt(const Shape& shape)
      : count(static_cast<int>(shape[0])),
        size(count <= kFew ? static_cast<std::size_t>(pair_count(count)) : 2 * (shape[0] - 1)) {}

  // Of few vectors all pairs, of many the first and the last pair of each row, which show a row
  // that is off by one.
  void fill(std::uint64_t) override {
    numbers.host.clear();
    for (int row = 0; row + 1 < count; ++row) {
      if (count > kFew) {
        numbers.host.push_back(pair_index(row, row + 1, count));
        numbers.host.push_back(pair_index(row, count - 1, count));
        continue;
      }
      for (int col = row + 1; col < count; ++col) {
        numbers.host.push_back(pair_index(row, col, count));
      }
    }
  }
  void run(cudaStream_t stream) override {
    pairs_at(numbers, i, j, static_cast<int>(size), count, stream);
  }
  void expect() override {
    std::vector<int> rows, cols;
    for (const long long number : numbers.host) {
      const Pair pair = pair_in_its_row(number, count);
      rows.push_back(pair.i);
      cols.push_back(pair.j);
    }
    i.expect(rows);
    j.expect(cols);
  }

  std::string text() const override { return format("%zu pairs of %d vectors", size, count); }
  std::string results() const override {
    return format("%s of %d vectors: %zu of %zu are correct\n",
                  count <= kFew ? "all pairs" : "the first and last pairs of the rows", count,
                  size - wrong_pairs().count, size);
  }
  std::string facts_of_wrong(std::size_t, double, double) const override {
    const auto [first, wrong] = wrong_pairs();
    const Pair right = pair_in_its_row(numbers.host[first], count);
    return format("first=%lld expected=%d:%d got=%d:%d wrong=%zu size=%zu vectors=%d",
                  numbers.host[first], right.i, right.j, i.result[first], j.result[first], wrong,
                  size, count);
  }
  std::string place_of(std::size_t at) const override {
    const Pair right = pair_in_its_row(numbers.host[at], count);
    return format(" (pair %lld is (%d, %d), and got (%d, %d))", numbers.host[at], right.i, right.j,
                  i.result[at], j.result[at]);
  }
  Mismatch wrong_pairs() const {
    Mismatch wrong{size, 0};
    for (std::size_t at = size; at-- > 0;) {
      if (i.is_right(i.result[at], at) && j.is_right(j.result[at], at)) continue;
      wrong = {at, wrong.count + 1};
    }
    return wrong;
  }

  int count;
  std::size_t size;
  Input<long long> numbers{this, "numbers", size};
  Output<int> i{this, "i", size};
  Output<int> j{this, "j", size};
};

}  // namespace

Operation describe_operation() {
  Operation operation;
  operation.make = computes<PairsAt>;
  operation.extents = {{"--n N", "number of vectors", kMaxCount, 16384, 16384, /*least=*/2}};
  // One pair, a few, a block of 256 and the sizes around it (253, 276), more than a block. Then
  // powers of two, where precision is most likely to end, and the first counts at which a float's
  // root fails: 4098 and, counted from the last row, 4609. 46342: products exceed 2^31.
  operation.shapes = shapes_of({2, 3, 4, 23, 24, 101, 2048, 4098, 4609, 16384, 46342, kMaxCount});
  operation.case_name = [](const Shape& shape) { return format("n%zu", shape[0]); };
  return operation;
}
