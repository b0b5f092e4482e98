#include "harness/problem.h"
#include "matrix_sum.h"

#include "common/harness/compare.h"
#include "common/harness/grid_limit.h"
#include "common/harness/plain_copy.h"
#include "common/harness/random.h"

#include <cmath>
#include <stdexcept>

namespace {

std::vector<float> sum_reference(const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<float> sum(a.size());
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = a[i] + b[i];
  return sum;
}

// Two matrices and a third for their sum. The ceiling is a plain copy of one of them.
class MatrixSum final : public TimedProblem {
 public:
  using Asked = MatrixProblem::Asked;
  static std::vector<OptionHelp> options() { return MatrixProblem::options(); }
  static Asked parse(Options& options) { return MatrixProblem::parse(options); }
  static Sizes<Shape> sizes(const Asked& asked, bool is_timed) {
    return MatrixProblem::sizes(asked, is_timed);
  }
  static MemoryNeed memory_need(const Shape& shape, bool is_timed) {
    const int matrices = is_timed ? 4 : 3;  // the copy's output too
    const double bytes = static_cast<double>(shape.bytes());
    return {format("%d matrices of %s floats", matrices, shape.text().c_str()), matrices * bytes,
            5 * bytes,  // both inputs, output, reference, an input afterwards
            [=](double share) {
              const double side = std::sqrt(static_cast<double>(shape.size()) * share);
              return format("The largest squares that fit are about %.0f x %.0f.", side, side);
            }};
  }

  MatrixSum(const Shape& shape, std::uint64_t seed)
      : shape_(shape),
        h_a_(random_floats(shape.size(), seed)),
        h_b_(random_floats(shape.size(), seed + 1)),
        d_a_(h_a_),
        d_b_(h_b_),
        d_sum_(shape.size()) {
    d_sum_.fill_bytes(0xff);
  }

  void run() override {
    launch_for_rows(shape_.rows, "ch3_transpose_matrix_sum_by_row", [&] {
      matrix_sum(d_a_.data(), d_b_.data(), d_sum_.data(), shape_.rows, shape_.cols);
    });
  }

  std::string check() override {
    const std::vector<float> h_sum = d_sum_.to_host();
    const std::vector<float> expected = sum_reference(h_a_, h_b_);
    if (const auto mismatch = find_mismatch(h_sum, expected)) {
      throw std::runtime_error("WRONG for " + shape_.text() + ": " +
                               mismatch_text(*mismatch, "sum", h_sum, expected));
    }
    if (find_mismatch(d_a_.to_host(), h_a_) || find_mismatch(d_b_.to_host(), h_b_)) {
      throw std::runtime_error("WRONG: the kernel changed its input.");
    }
    return "sum of two matrices of " + shape_.text() + " floats, all equal to the CPU's result";
  }

  Timings time() override {
    DeviceBuffer<float> d_copy(shape_.size());
    return time_beside([&] { queue_copy(d_copy.data(), d_a_.data(), shape_.bytes()); },
                       [&] { run(); });
  }

  Measurement measurement(const Timings& timings) const override {
    const double matrix_bytes = static_cast<double>(shape_.bytes());
    return {"two matrices of " + shape_.text() + " floats",
            {{"rows", std::to_string(shape_.rows)}, {"cols", std::to_string(shape_.cols)}},
            {timings.own, 3 * matrix_bytes},  // two are read, one is written
            {"plain copy", "copy", {timings.ceiling, 2 * matrix_bytes}}};
  }

 private:
  Shape shape_;
  std::vector<float> h_a_, h_b_;
  DeviceBuffer<float> d_a_, d_b_, d_sum_;
};

}  // namespace

int main(int argc, char** argv) { return run_program<MatrixSum>(argc, argv); }
