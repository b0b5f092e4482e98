#include "early_exit.h"
#include "harness/problem.h"
#include "subset_sum.h"

#include <stdexcept>

namespace {

class EarlyExit final : public TimedProblem, public TableOptions {
 public:
  static Sizes<TableSize> sizes(const Asked& asked, bool is_timed) {
    const TableSize to_check{100, 1'000'003, 8}, to_time{1000, 25'000'000, 8};
    const TableSize size = asked.otherwise(is_timed ? to_time : to_check);
    return {size, size};
  }
  static MemoryNeed memory_need(const TableSize& size, bool is_timed) {
    const double copies = is_timed ? ColumnCopies::device_bytes(size) : 0;
    return table_need(size, 2.0 * static_cast<double>(packed_column_bytes(size.target)) + copies);
  }

  EarlyExit(const TableSize& size, std::uint64_t)
      : size_(size), items_(size.items()), d_table_(2 * packed_column_bytes(size.target)) {
    d_table_.fill_bytes(0xff);
  }

  void run() override { answer_ = is_reachable(items_, size_.target, d_table_.data()); }

  std::string check() override {
    if (answer_.is_reachable != can_reach(size_)) {
      throw std::runtime_error(format("WRONG for %s: on the CPU the largest sum %s be reached",
                                      size_.text().c_str(),
                                      answer_.is_reachable ? "cannot" : "can"));
    }
    return format("%s\n  %d can%s be reached: known after %zu items", size_.text().c_str(),
                  size_.target, answer_.is_reachable ? "" : "not", answer_.items_taken);
  }

  Timings time() override {
    ColumnCopies copies(size_);
    return time_beside([&] { copies.queue(); }, [&] { run(); });
  }

  Measurement measurement(const Timings& timings) const override {
    return beside_copies(size_, answer_.items_taken, timings);
  }

 private:
  TableSize size_;
  std::vector<int> items_;
  DeviceBuffer<char> d_table_;
  Reachable answer_{};
};

}  // namespace

int main(int argc, char** argv) { return run_program<EarlyExit>(argc, argv); }
