#include "harness/matrix_vector_reference.h"
#include "matrix_vector.h"

#include "common/device_buffer.h"
#include "common/harness/compare.h"
#include "common/harness/driver.h"
#include "common/harness/read_probe.h"

#include <stdexcept>

namespace {

struct Extents {
  std::size_t rows, cols;
  std::size_t size() const { return rows * cols; }
  std::string text() const { return format("%zu x %zu doubles", rows, cols); }
};

// The ceiling is a read probe of the matrix: x is small, and can stay in a cache.
class MatrixVector final : public TimedProblem {
 public:
  struct Asked {
    std::optional<std::size_t> rows, cols;
  };
  static std::vector<OptionHelp> options() {
    return {{"--size N", "rows of the matrix"}, {"--columns M", "columns of the matrix"}};
  }
  static Asked parse(Options& options) {
    return {options.integer<std::size_t>("--size", 1, kMaxExtent),
            options.integer<std::size_t>("--columns", 1, kMostExactCols)};
  }
  static Sizes<Extents> sizes(const Asked& asked, bool is_timed) {
    const Extents to_check{asked.rows.value_or(1003), asked.cols.value_or(96)};
    const Extents to_time{asked.rows.value_or(100'003), asked.cols.value_or(1000)};
    return {is_timed ? Extents{1003, to_time.cols} : to_check, to_time};
  }
  static MemoryNeed memory_need(const Extents& extents, bool) {
    const double bytes =
        static_cast<double>(extents.rows) * static_cast<double>(extents.cols + 1) * sizeof(double);
    return {extents.text(), bytes, 2 * bytes,
            largest_that_fits("--size", static_cast<double>(extents.rows))};
  }

  MatrixVector(const Extents& extents, std::uint64_t seed)
      : extents_(extents),
        h_a_(random_integers(extents.size(), seed)),
        h_x_(random_integers(extents.cols, seed + 1)),
        d_a_(h_a_),
        d_x_(h_x_),
        d_y_(extents.rows),
        d_unused_(sizeof(unsigned)) {
    d_y_.fill_bytes(0xff);  // NaN: shows an element that is not written
  }

  void run() override {
    matrix_vector(d_a_.data(), d_x_.data(), d_y_.data(), extents_.rows, extents_.cols);
  }

  std::string check() override {
    const std::vector<double> y = d_y_.to_host();
    const std::vector<double> expected = matrix_vector_reference(h_a_, h_x_, extents_.rows);
    if (const auto mismatch = find_mismatch(y, expected)) {
      throw std::runtime_error("WRONG for " + extents_.text() + ": " +
                               mismatch_text(*mismatch, "y", y, expected));
    }
    return extents_.text() + " times a vector, all right";
  }

  Timings time() override {
    return time_beside([&] { read_probe(d_a_.data(), d_a_.size(), d_unused_.data()); },
                       [&] { run(); });
  }

  Measurement measurement(const Timings& timings) const override {
    const double bytes = static_cast<double>(d_a_.size_bytes());
    return {extents_.text(),
            {{"size", std::to_string(extents_.rows)}},
            {timings.own, bytes},
            {"read probe", "read_probe", {timings.ceiling, bytes}}};
  }

 private:
  Extents extents_;
  std::vector<double> h_a_, h_x_;
  DeviceBuffer<double> d_a_, d_x_, d_y_;
  DeviceBuffer<char> d_unused_;
};

}  // namespace

int main(int argc, char** argv) { return run_program<MatrixVector>(argc, argv); }
