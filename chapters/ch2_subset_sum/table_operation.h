#pragma once

#include "baselines/cpu.h"
#include "harness/problem.h"
#include "last_column.h"
#include "subset_sum.h"

#include "common/harness/cpu_baseline.h"
#include "common/harness/operation.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

// What the operations whose result is the last column have in common: items, sizes, the right
// column and the ceiling.

struct TableComputation : Computation {
  explicit TableComputation(const TableSize& size)
      : size(size),
        F(this, "F", static_cast<std::size_t>(size.target) + 1, [this] { return last_column(); }) {}

  // The last column after a call, one byte per entry.
  virtual std::vector<std::uint8_t> last_column() const = 0;
  // The reference is the CPU's column with 64 sums per word, because the loop in last_column.h is
  // slow for many items. The tests compare the two.
  virtual unsigned threads_of_reference() const {
    return size.target < 1'000'000 ? 1 : cpu_cores();
  }

  // A program's items are the same when it checks and when it measures: it prints the answer.
  void fill(std::uint64_t seed) override {
    items = size.own_items;
    if (!items.empty()) return;
    items = random_items(size.item_count, largest_item(size.target),
                         seed == kTimedSeed ? kCheckSeed : seed);
  }
  void expect() override {
    const auto packed = subset_sum_on_cpu(items, size.target, threads_of_reference());
    F.expect(unpacked_column(column_bytes(packed), /*is_packed=*/true, size.target));
  }
  double work() const override {  // entries
    return static_cast<double>(size.item_count) * (size.target + 1.0);
  }

  std::string text() const override { return size.text(); }
  std::string report() const override {
    return text() + ", all entries equal to the CPU's\n  " + reached() +
           answer_line(size, F.result.back());
  }
  std::string reached() const {
    return format("%td sums can be reached; %d can%s",
                  std::count(F.result.begin(), F.result.end(), 1), size.target,
                  F.result.back() ? "" : "not");
  }
  std::vector<std::string> notes() const override { return {reached()}; }
  std::vector<std::string> notes_of_times(double own_ms, double ceiling_ms) const override {
    return {time_of_an_item(size, size.item_count, own_ms, ceiling_ms)};
  }
  std::string facts_of_wrong(std::size_t i, double right, double got) const override {
    return format("array=F first=%zu expected=%.0f got=%.0f", i, right, got);
  }

  TableSize size;
  std::vector<int> items;
  Returned<std::uint8_t> F;
};

// The options of a table, and what its programs and tests try. C is a TableComputation.
template <typename C>
Operation table_operation() {
  Operation operation;
  // To check: a table of several blocks, the last of them not full. To time: the sums of the
  // published figures.
  operation.extents = {{kItemsOption.option, kItemsOption.meaning, kMaxItems, 10, 10},
                       {kSumOption.option, kSumOption.meaning, kMaxTarget, 250'007, 25'000'000, 0}};
  operation.own_options = {kChunkOption};
  const auto chunk = std::make_shared<int>(kUsualChunk);  // of every size, so it is not in a shape
  operation.make = [chunk](const Shape& shape) {
    return std::make_unique<C>(TableSize{shape[0], static_cast<int>(shape[1]), *chunk});
  };
  operation.own_input = [chunk](Options& options) -> std::optional<OwnInput> {
    *chunk = options.integer<int>("--chunk", 1, 32).value_or(kUsualChunk);
    Options with_items = options;
    const auto asked = take_items(with_items);
    if (!asked || asked->own.empty()) return std::nullopt;  // a number of items is a size
    options = with_items;
    const auto target = options.integer<std::size_t>("--sum", 0, kMaxTarget);
    for (const char* name : {"--items", "--sum"}) {
      if (!options.has(name)) continue;
      throw UsageError(format("%s is given more than once. Write it once.", name));
    }
    return OwnInput{
        {asked->count, *target}, [chunk, own = asked->own](const Shape& shape) {
          return std::make_unique<C>(TableSize{shape[0], static_cast<int>(shape[1]), *chunk, own});
        }};
  };
  // The last entry at, before and after the borders of words and vectors; every number of items
  // that can remain after passes of several items, also none; no sums but 0.
  operation.shapes = {{0, 1000}, {3, 0}, {8, 6007}};
  for (const std::size_t target : {1, 30, 31, 32, 33, 62, 63, 64, 65, 127, 128, 129, 255, 256, 257,
                                   4095, 4096, 32767, 32768}) {
    operation.shapes.push_back({9, target});
  }
  for (std::size_t items = 1; items <= 12; ++items) operation.shapes.push_back({items, 3001});
  operation.in_turn = {{8, 6007}, {8, 6007}, {2, 6007}, {7, 6007}, {0, 6007}};
  operation.unit = kGentriesPerS;
  // For each item a copy of a packed column that is in the L2 cache.
  operation.ceiling = [](Computation& computation) -> Yardstick {
    const auto copies =
        std::make_shared<ColumnCopies>(dynamic_cast<TableComputation&>(computation).size);
    return {"L2 copies", "l2_copy", [copies] { copies->queue(); },
            [work = computation.work()] { return work; }};
  };
  return operation;
}
