#include "chunks.h"
#include "harness/problem.h"
#include "last_column.h"
#include "subset_sum.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstdio>
#include <functional>

namespace {

// One table, filled again with each chunk.
class Sweep {
 public:
  explicit Sweep(const TableSize& size)
      : size_(size),
        items_(size.items()),
        layout_(all_columns(size.item_count, size.target)),  // of stage 02
        d_table_(layout_.bytes()) {}

  // Throws std::runtime_error unless the last column is right with every chunk.
  void check() {
    const std::vector<std::uint8_t> expected = expected_column(size_);
    for (const int chunk : chunks_to_try()) {
      d_table_.fill_bytes(0xff);
      const void* const last = fill(chunk);
      std::vector<std::uint8_t> bytes(layout_.column_bytes);
      CUDA_CHECK(cudaMemcpy(bytes.data(), last, bytes.size(), cudaMemcpyDeviceToHost));
      check_column(unpacked_column(bytes, layout_.is_packed, size_.target), expected, size_);
    }
  }

  // Times of each chunk, and of copies of a packed column measured with them.
  std::vector<Measurement> measure() {
    ColumnCopies copies(size_);
    std::vector<std::function<void()>> runs{[&] { copies.queue(); }};
    for (const int chunk : chunks_to_try()) runs.push_back([this, chunk] { fill(chunk); });
    const std::vector<Timing> timings = time_interleaved(runs);
    std::vector<Measurement> measured;
    for (std::size_t i = 1; i < timings.size(); ++i) {
      measured.push_back(beside_copies(size_, size_.item_count, {timings[i], timings[0]}));
    }
    return measured;
  }

 private:
  const void* fill(int chunk) { return subset_sum(items_, size_.target, d_table_.data(), chunk); }

  TableSize size_;
  std::vector<int> items_;
  TableLayout layout_;
  DeviceBuffer<std::uint8_t> d_table_;
};

MemoryNeed memory_need(const TableSize& size) {
  const auto table = static_cast<double>(all_columns(size.item_count, size.target).bytes());
  return table_need(size, table + ColumnCopies::device_bytes(size));
}

// One line per chunk. `measured` is empty if nothing was timed.
void print_table(const TableSize& size, const std::vector<Measurement>& measured) {
  std::printf("  %5s  %16s%s\n", "chunk", "threads / launch",
              measured.empty() ? "" : "  median ms");
  const std::vector<int> chunks = chunks_to_try();
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    std::printf("  %5d  %16d", chunks[i], ceil_div(size.target + 1, chunks[i]));
    if (!measured.empty()) std::printf("  %9.4f", measured[i].own.timing.median_ms);
    std::printf("\n");
  }
}

// One row per chunk, as if from programs called ch2_subset_sum_chunk_8 and so on.
void print_rows(const Program& program, const std::vector<Measurement>& measured) {
  const std::vector<int> chunks = chunks_to_try();
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    Program one = program;
    one.name = "ch2_subset_sum_chunk_" + std::to_string(chunks[i]);
    print_csv(one, measured[i], /*with_header=*/i == 0);
  }
}

void run(const Program& program, const TableOptions::Asked& asked) {
  const TableSize size = asked.otherwise({10, program.is_timed ? 25'000'000 : 100'003, 8});
  require_memory(program.device, memory_need(size));
  Sweep sweep(size);
  sweep.check();
  const auto measured = program.is_timed ? sweep.measure() : std::vector<Measurement>{};
  if (program.prints_csv) return print_rows(program, measured);
  std::printf("%s: %s, right with every chunk\n", program.name.c_str(), size.text().c_str());
  print_table(size, measured);
}

// The sweep sets --chunk itself.
TableOptions::Asked parse(Options& options) {
  if (options.has("--chunk")) {
    throw UsageError(
        "The sweep tries all chunks, so it takes no --chunk. For one chunk run "
        "ch2_subset_sum_grid_stride.");
  }
  return TableOptions::parse(options);
}

}  // namespace

int main(int argc, char** argv) {
  return program_main(argc, argv, TableOptions::options(), parse, run);
}
