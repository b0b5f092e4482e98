#include "chapters/ch0_machine/cells.h"
#include "tests/ch0_machine/whole_numbers.h"

#include "common/device_buffer.h"
#include "tests/support/guarded_array.h"
#include "tests/support/launch_errors.h"

#include <ostream>

namespace {

struct Table {
  int rows, cols;
};
std::ostream& operator<<(std::ostream& os, Table table) {
  return os << table.rows << "x" << table.cols;
}

// One cell; a block of 32 x 8, one less and one more; primes; long and thin.
const std::vector<Table> kTables = with_hidden_shapes<2>(std::vector<Table>{{1, 1},
                                                                            {3, 5},
                                                                            {7, 31},
                                                                            {8, 32},
                                                                            {9, 33},
                                                                            {16, 64},
                                                                            {17, 61},
                                                                            {1, 1025},
                                                                            {1025, 1},
                                                                            {2003, 3},
                                                                            {3, 2003}},
                                                         [](const auto& numbers) {
                                                           return Table{numbers[0], numbers[1]};
                                                         });

std::vector<int> numbered(Table table) {
  std::vector<int> cells;
  for (int row = 0; row < table.rows; ++row) {
    for (int col = 0; col < table.cols; ++col) cells.push_back(100 * row + col);
  }
  return cells;
}

using CellsFirst = ArrayOperationTest;

// Runs before all other tests, with numbers that you can check in your head.
TEST_F(CellsFirst, NumbersThreeByFive) {
  DeviceBuffer<int> d_cells(std::vector<int>(15, kUnwritten));

  number_cells(d_cells.data(), 3, 5);

  expect_no_launch_error();
  expect_numbers(d_cells.to_host(),
                 {0, 1, 2, 3, 4, 100, 101, 102, 103, 104, 200, 201, 202, 203, 204}, "cells",
                 /*width=*/5);
}

class CellsTest : public ArrayOperationTest, public testing::WithParamInterface<Table> {};

TEST_P(CellsTest, NumbersEachCell) {
  const auto [rows, cols] = GetParam();
  const std::vector<int> expected = numbered(GetParam());
  GuardedArray<int> cells(std::vector<int>(expected.size(), kUnwritten));

  number_cells(cells.data(), rows, cols);

  expect_no_launch_error();
  expect_numbers(cells.to_host(), expected, "cells", cols);
  cells.expect_intact_guards("cells");
}

INSTANTIATE_TEST_SUITE_P(Tables, CellsTest, testing::ValuesIn(kTables), [](const auto& info) {
  return std::to_string(info.param.rows) + "x" + std::to_string(info.param.cols);
});

using CellsOnce = ArrayOperationTest;

TEST_F(CellsOnce, ReportsALaunchThatFails) {
  DeviceBuffer<int> d_cells(15);
  expect_error_of_each_launch([&] { number_cells(d_cells.data(), 3, 5); });
}

}  // namespace
