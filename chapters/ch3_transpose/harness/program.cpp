#include "harness/program.h"

#include "transpose.h"

#include "common/harness/compare.h"
#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "common/harness/measurement.h"
#include "common/harness/program.h"
#include "common/harness/random.h"

#include <cmath>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>

namespace {

const std::vector<OptionHelp> kOptions{
    {"--rows R  --cols C", "the matrix (alone: a square one)"},
};

struct Shape {
  int rows, cols;
  std::size_t size() const { return static_cast<std::size_t>(rows) * cols; }
  std::size_t bytes() const { return size() * sizeof(float); }
  std::string text() const { return std::to_string(rows) + " x " + std::to_string(cols); }
};

constexpr Shape kCheckShape{1000, 777};    // no tile divides it, and swapped extents show
constexpr Shape kTimedShape{16384, 8192};  // 9 times the L2 cache of an H200 in, and again out

std::optional<Shape> parse(Options& options) {
  const auto rows = options.integer("--rows", 1, kMaxExtent);
  const auto cols = options.integer("--cols", 1, kMaxExtent);
  if (!rows && !cols) return std::nullopt;
  return Shape{static_cast<int>(rows ? *rows : *cols), static_cast<int>(cols ? *cols : *rows)};
}

// Throws UsageError if `matrices` of this shape do not fit the device, or the four that the check
// needs (input, output, reference, input after) the host.
void require_memory_for(const Shape& shape, int matrices, const DeviceInfo& device) {
  const double bytes = static_cast<double>(shape.bytes());
  require_memory(device, {matrices * bytes, 4 * bytes},
                 format("%d matrices of %s floats", matrices, shape.text().c_str()),
                 [&](double share) {
                   const double side = std::sqrt(static_cast<double>(shape.size()) * share);
                   return format("The largest squares that fit are about %.0f x %.0f.", side, side);
                 });
}

// Throws std::runtime_error if the output is not exactly the reference's, or the input has changed.
void check(const MatrixOperation& operation, const std::vector<float>& h_in,
           const DeviceBuffer<float>& d_in, const DeviceBuffer<float>& d_out, const Shape& shape) {
  const std::vector<float> h_out = d_out.to_host();
  const std::vector<float> expected = operation.reference(h_in, shape.rows, shape.cols);
  if (const auto mismatch = find_mismatch(h_out, expected)) {
    throw std::runtime_error("WRONG for " + shape.text() + ": " +
                             mismatch_text(*mismatch, "out", h_out, expected));
  }
  if (find_mismatch(d_in.to_host(), h_in))
    throw std::runtime_error("WRONG: the kernel changed its input.");
}

// Runs the operation once on random data. The output starts as NaN, so what is not written shows.
void run_and_check(const MatrixOperation& operation, const Shape& shape) {
  const std::vector<float> h_in = random_floats(shape.size(), /*seed=*/1);
  const DeviceBuffer<float> d_in(h_in);
  DeviceBuffer<float> d_out(shape.size());
  d_out.fill_bytes(0xff);
  operation.run(d_in.data(), d_out.data(), shape.rows, shape.cols, nullptr);
  CUDA_CHECK(cudaDeviceSynchronize());  // an error inside the kernel shows here
  check(operation, h_in, d_in, d_out, shape);
}

// The operation and a plain copy of the same bytes, in turn. Checks the result of the timed runs.
std::vector<Timing> time_beside_copy(const MatrixOperation& operation, const Shape& shape) {
  const std::vector<float> h_in = random_floats(shape.size(), /*seed=*/2);
  const DeviceBuffer<float> d_in(h_in);
  DeviceBuffer<float> d_out(shape.size()), d_copy(shape.size());
  d_out.fill_bytes(0xff);
  const std::vector<Timing> timings = time_interleaved({
      [&] { operation.run(d_in.data(), d_out.data(), shape.rows, shape.cols, nullptr); },
      [&] {
        CUDA_CHECK(
            cudaMemcpyAsync(d_copy.data(), d_in.data(), shape.bytes(), cudaMemcpyDeviceToDevice));
      },
  });
  check(operation, h_in, d_in, d_out, shape);
  return timings;
}

void run(const MatrixOperation& operation, const Program& program,
         const std::optional<Shape>& asked) {
  // A timed run checks its own result too, so the shape to time need not be checked before.
  const Shape checked = program.is_timed ? kCheckShape : asked.value_or(kCheckShape);
  require_memory_for(checked, 2, program.device);  // input and output
  run_and_check(operation, checked);
  if (!program.prints_csv) {
    std::printf("%s: %s floats, all equal to the CPU's result\n", program.name.c_str(),
                checked.text().c_str());
  }
  if (!program.is_timed) return;

  const Shape shape = asked.value_or(kTimedShape);
  require_memory_for(shape, 3, program.device);  // the copy's output too
  const std::vector<Timing> timings = time_beside_copy(operation, shape);
  // Each element is read once and written once.
  const double bytes = 2 * static_cast<double>(shape.bytes());
  print_measurement(program,
                    {shape.text() + " floats",
                     {{"rows", std::to_string(shape.rows)}, {"cols", std::to_string(shape.cols)}},
                     {timings[0], bytes},
                     {"plain copy", "copy", {timings[1], bytes}}});
}

}  // namespace

int run_program(const MatrixOperation& operation, int argc, const char* const* argv) {
  return program_main(argc, argv, kOptions, parse,
                      [&](const Program& program, const std::optional<Shape>& asked) {
                        run(operation, program, asked);
                      });
}
