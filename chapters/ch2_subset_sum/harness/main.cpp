#include "harness/problem.h"
#include "harness/reference.h"
#include "subset_sum.h"

#include "common/cuda_check.h"

#include <algorithm>

namespace {

// The table starts full of ones, so an entry that is not written is found.
class SubsetSum final : public TimedProblem, public TableOptions {
 public:
  static MemoryNeed memory_need(const TableSize& size, bool) {
    const auto table = static_cast<double>(table_layout(size.item_count, size.target).bytes());
    return table_need(size, table + ColumnCopies::device_bytes(size));
  }

  SubsetSum(const TableSize& size, std::uint64_t)
      : size_(size),
        items_(size.items()),
        layout_(table_layout(size.item_count, size.target)),
        d_table_(layout_.bytes()) {
    d_table_.fill_bytes(0xff);
  }

  void run() override { last_ = subset_sum(items_, size_.target, d_table_.data(), size_.chunk); }

  std::string check() override {
    const std::vector<std::uint8_t> expected = expected_column(size_);
    check_column(last_column(), expected, size_);
    return format("%s, all entries equal to the CPU's\n  %td sums can be reached; %d can%s",
                  size_.text().c_str(), std::count(expected.begin(), expected.end(), 1),
                  size_.target, expected.back() ? "" : "not") +
           answer_line(size_, expected.back());
  }

  Timings time() override {
    ColumnCopies copies(size_);
    return time_beside([&] { copies.queue(); }, [&] { run(); });
  }

  Measurement measurement(const Timings& timings) const override {
    return beside_copies(size_, size_.item_count, timings);
  }

 private:
  // One byte per entry.
  std::vector<std::uint8_t> last_column() const {
    std::vector<std::uint8_t> bytes(layout_.column_bytes);
    CUDA_CHECK(cudaMemcpy(bytes.data(), last_, bytes.size(), cudaMemcpyDeviceToHost));
    return unpacked_column(bytes, layout_.is_packed, size_.target);
  }

  TableSize size_;
  std::vector<int> items_;
  TableLayout layout_;
  DeviceBuffer<std::uint8_t> d_table_;
  const void* last_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) { return run_program<SubsetSum>(argc, argv); }
