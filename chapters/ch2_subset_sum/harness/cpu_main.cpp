#include "baselines/cpu.h"
#include "harness/problem.h"
#include "harness/reference.h"

#include "common/harness/cpu_baseline.h"

#include <algorithm>

namespace {

class SubsetSumOnCpu final : public TimedProblem, public TableOptions {
 public:
  static MemoryNeed memory_need(const TableSize& size, bool) {
    return table_need(size, ColumnCopies::device_bytes(size));
  }

  SubsetSumOnCpu(const TableSize& size, std::uint64_t) : size_(size), items_(size.items()) {}

  void run() override { column_ = subset_sum_on_cpu(items_, size_.target, cpu_threads()); }

  // Checked by the other form, with one column or two: the reference would be too slow here.
  std::string check() override {
    const auto by_others = subset_sum_on_cpu(items_, size_.target, cpu_threads() == 1 ? 2 : 1);
    const auto expected = unpacked_column(column_bytes(by_others), true, size_.target);
    check_column(unpacked_column(column_bytes(column_), true, size_.target), expected, size_);
    return format("%s, on %u thread(s) of the CPU; %td sums can be reached", size_.text().c_str(),
                  cpu_threads(), std::count(expected.begin(), expected.end(), 1)) +
           answer_line(size_, expected.back());
  }

  Timings time() override {
    ColumnCopies copies(size_);
    return time_on_cpu_beside([&] { copies.queue(); }, [&] { run(); });
  }

  Measurement measurement(const Timings& timings) const override {
    return beside_copies(size_, size_.item_count, timings);
  }

 private:
  TableSize size_;
  std::vector<int> items_;
  std::vector<std::uint64_t> column_;
};

}  // namespace

int main(int argc, char** argv) { return run_program<SubsetSumOnCpu>(argc, argv); }
