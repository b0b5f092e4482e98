#include "harness/problem.h"

#include "transpose.h"

#include "common/harness/compare.h"
#include "common/harness/grid_limit.h"
#include "common/harness/plain_copy.h"
#include "common/harness/random.h"

#include <cmath>
#include <stdexcept>

std::vector<OptionHelp> MatrixProblem::options() {
  return {{"--rows R  --cols C", "the matrix (one of them alone: a square matrix)"}};
}

std::optional<Shape> MatrixProblem::parse(Options& options) {
  const auto rows = options.integer<int>("--rows", 1, kMaxExtent);
  const auto cols = options.integer<int>("--cols", 1, kMaxExtent);
  if (!rows && !cols) return std::nullopt;
  return Shape{rows ? *rows : *cols, cols ? *cols : *rows};
}

Sizes<Shape> MatrixProblem::sizes(const Asked& asked, bool is_timed) {
  constexpr Shape kToCheck{1000, 777};   // no tile divides it, and swapped extents are found
  constexpr Shape kToTime{16384, 8192};  // each matrix has 9 times the L2 cache of an H200
  return sizes_of(asked, kToCheck, kToTime, is_timed);
}

MemoryNeed MatrixProblem::memory_need(const Shape& shape, bool is_timed) {
  const int matrices = is_timed ? 3 : 2;  // input and output; the copy's output too
  const double bytes = static_cast<double>(shape.bytes());
  return {format("%d matrices of %s floats", matrices, shape.text().c_str()), matrices * bytes,
          4 * bytes,  // input, output, reference, input after
          [=](double share) {
            const double side = std::sqrt(static_cast<double>(shape.size()) * share);
            return format("The largest squares that fit are about %.0f x %.0f.", side, side);
          }};
}

MatrixProblem::MatrixProblem(const Operation& operation, const Shape& shape, std::uint64_t seed)
    : operation_(operation),
      shape_(shape),
      h_in_(random_floats(shape.size(), seed)),
      d_in_(h_in_),
      d_out_(shape.size()) {
  d_out_.fill_bytes(0xff);
}

void MatrixProblem::run() {
  launch_for_rows(shape_.rows, "ch3_transpose_swizzled", [&] {
    operation_.run(d_in_.data(), d_out_.data(), shape_.rows, shape_.cols, nullptr);
  });
}

std::string MatrixProblem::check() {
  const std::vector<float> h_out = d_out_.to_host();
  const std::vector<float> expected = operation_.reference(h_in_, shape_.rows, shape_.cols);
  const float max_error = operation_.max_error;
  if (const auto mismatch = find_mismatch(h_out, expected, /*rel_tolerance=*/0.0f, max_error)) {
    throw std::runtime_error("WRONG for " + shape_.text() + ": " +
                             mismatch_text(*mismatch, "out", h_out, expected));
  }
  if (find_mismatch(d_in_.to_host(), h_in_)) {
    throw std::runtime_error("WRONG: the kernel changed its input.");
  }
  const char* const how = max_error > 0 ? "all equal within rounding to" : "all equal to";
  return shape_.text() + " floats, " + how + " the CPU's result";
}

Timings MatrixProblem::time() {
  DeviceBuffer<float> d_copy(shape_.size());
  return time_beside([&] { queue_copy(d_copy.data(), d_in_.data(), shape_.bytes()); },
                     [&] { run(); });
}

Measurement MatrixProblem::measurement(const Timings& timings) const {
  // Each element is read once and written once.
  const double bytes = 2 * static_cast<double>(shape_.bytes());
  return {shape_.text() + " floats",
          {{"rows", std::to_string(shape_.rows)}, {"cols", std::to_string(shape_.cols)}},
          {timings.own, bytes},
          {"plain copy", "copy", {timings.ceiling, bytes}}};
}
