#include "baselines/cpu.h"
#include "harness/problem.h"
#include "last_column.h"
#include "whole_table.h"

#include "common/harness/cpu_baseline.h"
#include "common/harness/sample.h"

#include <algorithm>

namespace {

constexpr std::size_t kMostColumnsToCheck = 32;
constexpr double kLargeTableBytes = 1e9;
constexpr int kMostRowsToShow = 24;
constexpr std::size_t kMostColumnsToShow = 12;

class WholeTable final : public TimedProblem, public TableOptions {
 public:
  static MemoryNeed memory_need(const TableSize& size, bool) {
    MemoryNeed need = table_need(size, ColumnCopies::device_bytes(size));
    need.host_bytes += table_bytes(size);
    return need;
  }

  // Without options the example of [Aubanel 2021], small enough to be shown.
  static Sizes<TableSize> sizes(const Asked& asked, bool is_timed) {
    const TableSize example{4, 11, 1, {2, 6, 8, 19}};
    if (!is_timed && !asked.items && !asked.sum) return {example, example};
    return TableOptions::sizes(asked, is_timed);
  }

  WholeTable(const TableSize& size, std::uint64_t) : size_(size), items_(size.items()) {}

  // The time includes the allocation.
  void run() override { table_ = subset_sum_table(items_, size_.target); }

  // Checks the columns, or a sample of many columns, with packed words.
  std::string check() override {
    std::vector<std::uint8_t> last;
    for (const std::size_t j : sample_of(items_.size() + 1, kMostColumnsToCheck, kCheckSeed)) {
      const std::vector<int> prefix(items_.begin(),
                                    items_.begin() + static_cast<std::ptrdiff_t>(j));
      const auto packed = subset_sum_on_cpu(prefix, size_.target, cpu_cores());
      last = unpacked_column(column_bytes(packed), true, size_.target);
      check_column(column(j), last, size_);
    }
    return format(
               "%s: a table of %zu columns, %.0f bytes, on one core of the CPU\n"
               "  %td sums can be reached; %d can%s",
               size_.text().c_str(), items_.size() + 1, table_bytes(size_),
               std::count(last.begin(), last.end(), 1), size_.target, last.back() ? "" : "not") +
           answer_line(size_, last.back()) + table_text();
  }

  Timings time() override {
    ColumnCopies copies(size_);
    // A run with a large table takes seconds.
    const int repeats = table_bytes(size_) > kLargeTableBytes ? 3 : 21;
    return time_on_cpu_beside([&] { copies.queue(); }, [&] { run(); }, [&] { table_ = {}; },
                              repeats);
  }

  Measurement measurement(const Timings& timings) const override {
    return beside_copies(size_, size_.item_count, timings);
  }

 private:
  static double table_bytes(const TableSize& size) {
    return (static_cast<double>(size.item_count) + 1) * (size.target + 1.0);
  }

  // A row for each sum and a column for each item, as in the lesson; empty for a large table.
  std::string table_text() const {
    if (size_.target >= kMostRowsToShow || items_.size() >= kMostColumnsToShow) return "";
    std::string text = "\n\n     i  none";
    for (const int item : items_) text += format("  %4s", ("+" + std::to_string(item)).c_str());
    for (int i = 0; i <= size_.target; ++i) {
      text += format("\n  %4d", i);
      for (std::size_t j = 0; j <= items_.size(); ++j) {
        text += format("  %4d", column(j)[static_cast<std::size_t>(i)]);
      }
    }
    return text;
  }

  std::vector<std::uint8_t> column(std::size_t j) const {
    const auto pitch = static_cast<std::ptrdiff_t>(size_.target) + 1;
    const auto first = table_.begin() + static_cast<std::ptrdiff_t>(j) * pitch;
    return {first, first + pitch};
  }

  TableSize size_;
  std::vector<int> items_;
  std::vector<std::uint8_t> table_;
};

}  // namespace

int main(int argc, char** argv) { return run_program<WholeTable>(argc, argv); }
