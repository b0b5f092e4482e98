#include "chunks/chunks.h"
#include "harness/chunks_reference.h"

#include "common/device_buffer.h"
#include "common/harness/compare.h"
#include "common/harness/driver.h"
#include "common/harness/read_probe.h"

#include <stdexcept>

namespace {

constexpr long long kMostRows = 1'000'000'000;
constexpr int kMostColumns = 1000;
constexpr unsigned kMostBlocks = 10'000;

struct Extents {
  std::size_t rows;
  int columns;
  unsigned blocks;
};

class ChunkReader final : public TimedProblem {
 public:
  struct Asked {
    std::optional<std::size_t> rows;
    std::optional<int> columns;
    std::optional<unsigned> blocks;
  };
  static std::vector<OptionHelp> options() {
    return {{"--size N", "rows of the matrix"},
            {"--columns M", "columns of the matrix"},
            {"--blocks B", "number of blocks; each reads the whole matrix"}};
  }
  static Asked parse(Options& options) {
    return {options.integer<std::size_t>("--size", 1, kMostRows),
            options.integer<int>("--columns", 1, kMostColumns),
            options.integer<unsigned>("--blocks", 1, kMostBlocks)};
  }
  // Each block reads the whole matrix, so a few blocks are enough for a check.
  static Sizes<Extents> sizes(const Asked& asked, bool is_timed) {
    const int columns = asked.columns.value_or(10);
    const Extents to_check{2'500, columns, asked.blocks.value_or(4)};
    const Extents to_time{asked.rows.value_or(10'000'000), columns, asked.blocks.value_or(100)};
    if (is_timed) return {to_check, to_time};
    return {{asked.rows.value_or(to_check.rows), columns, to_check.blocks}, to_time};
  }
  static MemoryNeed memory_need(const Extents& extents, bool) {
    const double bytes =
        static_cast<double>(extents.rows) * extents.columns * static_cast<double>(sizeof(float));
    return {text_of(extents), bytes + 4.0 * kChunkRows * extents.blocks, 2 * bytes,
            largest_that_fits("--size", static_cast<double>(extents.rows))};
  }

  ChunkReader(const Extents& extents, std::uint64_t seed)
      : extents_(extents),
        by_rows_(small_integers(extents.rows, extents.columns, seed)),
        d_x_(in_order(by_rows_, extents.rows, extents.columns, order())),
        d_sums_(std::size_t{kChunkRows} * extents.blocks),
        d_unused_(sizeof(unsigned)) {
    d_sums_.fill_bytes(0xff);  // NaN: shows an element that is not written
  }

  void run() override {
    read_chunks(d_x_.data(), extents_.rows, extents_.columns, extents_.blocks, d_sums_.data());
  }

  std::string check() override {
    const std::vector<float> sums = d_sums_.to_host();
    const std::vector<float> expected =
        read_chunks_reference(by_rows_, extents_.rows, extents_.columns, extents_.blocks);
    if (const auto mismatch = find_mismatch(sums, expected)) {
      throw std::runtime_error("WRONG for " + text_of(extents_) + ": " +
                               mismatch_text(*mismatch, "sums", sums, expected));
    }
    return format("%s, all right\n  a block keeps chunks of %u rows, %.1f KiB of shared memory",
                  text_of(extents_).c_str(), kChunkRows,
                  static_cast<double>(chunk_bytes(extents_.columns)) / 1024);
  }

  // The probe reads the matrix once.
  Timings time() override {
    const auto* const doubles = reinterpret_cast<const double*>(d_x_.data());
    return time_beside([&] { read_probe(doubles, d_x_.size() / 2, d_unused_.data()); },
                       [&] { run(); });
  }

  // The bytes that the blocks request.
  Measurement measurement(const Timings& timings) const override {
    const double bytes = static_cast<double>(d_x_.size_bytes());
    return {text_of(extents_),
            {{"size", std::to_string(extents_.rows)}},
            {timings.own, bytes * extents_.blocks},
            {"read probe", "read_probe", {timings.ceiling, bytes}}};
  }

 private:
  static std::string text_of(const Extents& extents) {
    return format("%zu x %d floats by %u blocks", extents.rows, extents.columns, extents.blocks);
  }

  Extents extents_;
  std::vector<float> by_rows_;
  DeviceBuffer<float> d_x_, d_sums_;
  DeviceBuffer<char> d_unused_;
};

}  // namespace

int main(int argc, char** argv) { return run_program<ChunkReader>(argc, argv); }
