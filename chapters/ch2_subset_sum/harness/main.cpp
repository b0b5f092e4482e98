#include "harness/program.h"
#include "harness/reference.h"
#include "subset_sum.h"

#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

// A table full of ones: what is not written shows.
class Table {
 public:
  explicit Table(const Problem& problem)
      : problem_(problem),
        items_(problem.items()),
        layout_(table_layout(problem.item_count, problem.target)),
        d_table_(layout_.bytes()) {
    d_table_.fill_bytes(0xff);
  }

  void fill() { last_ = subset_sum(items_, problem_.target, d_table_.data(), problem_.chunk); }

  // The last column, a byte an entry.
  std::vector<std::uint8_t> last_column() const {
    std::vector<std::uint8_t> bytes(layout_.column_bytes);
    CUDA_CHECK(cudaMemcpy(bytes.data(), last_, bytes.size(), cudaMemcpyDeviceToHost));
    return unpacked_column(bytes, layout_.is_packed, problem_.target);
  }

 private:
  Problem problem_;
  std::vector<int> items_;
  TableLayout layout_;
  DeviceBuffer<std::uint8_t> d_table_;
  const void* last_ = nullptr;
};

void run(const Program& program, const Problem& problem) {
  const auto table_bytes =
      static_cast<double>(table_layout(problem.item_count, problem.target).bytes());
  const std::size_t copied_bytes = 2 * packed_column_bytes(problem.target);
  require_memory_for(problem, table_bytes + static_cast<double>(copied_bytes), program.device);
  Table table(problem);
  table.fill();
  CUDA_CHECK(cudaDeviceSynchronize());  // an error inside a kernel shows here
  const std::vector<std::uint8_t> expected = expected_column(problem);
  check_column(table.last_column(), expected, problem);
  if (!program.prints_csv) {
    std::printf("%s: %s, all entries equal to the CPU's\n", program.name.c_str(),
                problem.text().c_str());
    std::printf("  %td sums can be reached; %d can%s\n",
                std::count(expected.begin(), expected.end(), 1), problem.target,
                expected.back() ? "" : "not");
  }
  if (!program.is_timed) return;

  DeviceBuffer<char> d_columns(copied_bytes);
  d_columns.fill_bytes(0);
  const std::vector<Timing> timings =
      time_interleaved({[&] { table.fill(); }, [&] { queue_copies(problem, d_columns.data()); }});
  check_column(table.last_column(), expected, problem);
  print_measurement(program, measurement(problem, timings[0], timings[1]));
}

}  // namespace

int main(int argc, char** argv) { return run_with_problem(argc, argv, run); }
