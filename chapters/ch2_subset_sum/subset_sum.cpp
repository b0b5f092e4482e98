#include "subset_sum.h"

#include "table_operation.h"

#include "common/cuda_check.h"

// For a stage that does not define it: all columns, that of no items too, a byte per sum.
[[gnu::weak]] TableLayout table_layout(std::size_t item_count, int target) {
  return all_columns(item_count, target);
}

namespace {

// What a stage computes is the loop in last_column.h. The table starts full of ones, so an entry
// that is not written is found.
struct SubsetSum final : TableComputation {
  explicit SubsetSum(const TableSize& size)
      : TableComputation(size),
        layout(table_layout(size.item_count, size.target)),
        table(this, layout.bytes(), 0xff, "table"),
        past_target(this, "past_target", layout.is_packed ? 8 * layout.column_bytes - F.count : 0,
                    [this] { return bits_past_target(); }) {}

  void run(cudaStream_t stream) override {
    const void* const column = subset_sum(items, size.target, table.data(), size.chunk, stream);
    last = static_cast<const char*>(column);
  }
  void expect() override {
    TableComputation::expect();
    past_target.expect(std::vector<std::uint8_t>(past_target.count, 0));
  }

  // The bytes of the column at the address that the function has returned. Full of ones if it is
  // not in the table.
  std::vector<std::uint8_t> bytes_of_last() const {
    std::vector<std::uint8_t> bytes(layout.column_bytes, 0xff);
    const char *const begin = table.data(), *const end = begin + table.count;
    if (last >= begin && last + bytes.size() <= end) {
      CUDA_CHECK(cudaMemcpy(bytes.data(), last, bytes.size(), cudaMemcpyDeviceToHost));
    }
    return bytes;
  }
  std::vector<std::uint8_t> last_column() const override {
    return unpacked_column(bytes_of_last(), layout.is_packed, size.target);
  }
  // A packed column ends with bits of sums past the target, which must be 0.
  std::vector<std::uint8_t> bits_past_target() const {
    const std::vector<std::uint8_t> bytes = bytes_of_last();
    std::vector<std::uint8_t> bits;
    for (std::size_t i = F.count; bits.size() < past_target.count; ++i) {
      bits.push_back(bytes[i / 8] >> i % 8 & 1);
    }
    return bits;
  }
  std::string facts_of_wrong(std::size_t i, double right, double got) const override {
    if (!F.mismatch()) return "overwritten=after array=F";  // only bits past the target are wrong
    return TableComputation::facts_of_wrong(i, right, got);
  }

  TableLayout layout;
  Workspace table;
  Returned<std::uint8_t> past_target;
  const char* last = nullptr;
};

}  // namespace

Operation describe_operation() {
  Operation operation = table_operation<SubsetSum>();
  // In place (ex2), a small item needs hundreds of launches. subset_sum_test.cpp has larger items.
  operation.has_few_launches = false;
  return operation;
}
