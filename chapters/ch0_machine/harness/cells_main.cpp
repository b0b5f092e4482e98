#include "cells.h"
#include "harness/problem.h"

#include "common/device_buffer.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace {

constexpr int kShownRows = 12, kShownCols = 12;

struct TableSize {
  int rows, cols;
};

class Cells final : public Problem {
 public:
  struct Asked {
    std::optional<int> rows, cols;
  };
  static std::vector<OptionHelp> options() {
    return {{"--rows R", "rows of the table"}, {"--cols C", "columns of the table"}};
  }
  static Asked parse(Options& options) {
    const auto rows = options.integer<int>("--rows", 1, 4096);
    return {rows, options.integer<int>("--cols", 1, 4096)};
  }
  static Sizes<TableSize> sizes(const Asked& asked, bool) {
    const TableSize size{asked.rows.value_or(3), asked.cols.value_or(5)};
    return {size, size};
  }
  static MemoryNeed memory_need(const TableSize& size, bool) {
    const double bytes = 4.0 * size.rows * size.cols;
    return {format("a table of %d x %d cells", size.rows, size.cols), bytes, 2 * bytes,
            [](double) { return std::string("Take fewer rows or columns."); }};
  }

  Cells(const TableSize& size, std::uint64_t)
      : size_(size),
        d_cells_(std::vector<int>(static_cast<std::size_t>(size.rows) * size.cols, kUnwritten)) {}

  void run() override { number_cells(d_cells_.data(), size_.rows, size_.cols); }

  std::string check() override {
    const std::vector<int> cells = d_cells_.to_host();
    for (int row = 0; row < std::min(size_.rows, kShownRows); ++row) {
      for (int col = 0; col < std::min(size_.cols, kShownCols); ++col) {
        std::printf(" %7d", cells[row * size_.cols + col]);
      }
      std::printf(size_.cols > kShownCols ? " ...\n" : "\n");
    }
    std::fflush(stdout);  // before the message, which goes to stderr
    for (int row = 0; row < size_.rows; ++row) {
      for (int col = 0; col < size_.cols; ++col) {
        const int got = cells[row * size_.cols + col];
        if (got == 100 * row + col) continue;
        throw std::runtime_error(format("WRONG: the cell at (%d, %d): expected %d, got %d%s.", row,
                                        col, 100 * row + col, got,
                                        got == kUnwritten ? ", because no thread wrote it" : ""));
      }
    }
    return format("%d x %d cells, all right", size_.rows, size_.cols);
  }

 private:
  TableSize size_;
  DeviceBuffer<int> d_cells_;
};

}  // namespace

int main(int argc, char** argv) { return run_program<Cells>(argc, argv); }
