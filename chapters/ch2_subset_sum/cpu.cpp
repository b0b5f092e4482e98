#include "baselines/cpu.h"

#include "table_operation.h"

#include "common/harness/cpu_baseline.h"

namespace {

struct SubsetSumOnCpu final : TableComputation {
  using TableComputation::TableComputation;

  void run(cudaStream_t) override { column = subset_sum_on_cpu(items, size.target, cpu_threads()); }
  std::vector<std::uint8_t> last_column() const override {
    return unpacked_column(column_bytes(column), /*is_packed=*/true, size.target);
  }
  // One thread works on one column, several threads on two: each checks the other.
  unsigned threads_of_reference() const override { return cpu_threads() == 1 ? 2 : 1; }

  std::string report() const override {
    return text() + format(", on %u thread(s) of the CPU; %s", cpu_threads(), reached().c_str()) +
           answer_line(size, F.result.back());
  }

  std::vector<std::uint64_t> column;
};

}  // namespace

Operation describe_operation() {
  Operation operation = table_operation<SubsetSumOnCpu>();
  operation.in_host_memory = true;
  operation.runs_on_cpu = 21;
  return operation;
}
