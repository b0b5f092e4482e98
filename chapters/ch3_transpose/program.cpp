#include "program.h"

#include "transpose.h"

#include "common/compare.h"
#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "common/device_info.h"
#include "common/gpu_timer.h"
#include "common/options.h"
#include "common/random.h"

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>

namespace {

constexpr const char* kUsage =
    "Options: --rows R  --cols C  the matrix (alone: a square one)\n"
    "         --check             check the result, measure no time\n"
    "         --csv               print the measurement as a CSV table";

struct Shape {
  int rows, cols;
  std::size_t size() const { return static_cast<std::size_t>(rows) * cols; }
  std::size_t bytes() const { return size() * sizeof(float); }
  std::string text() const { return std::to_string(rows) + " x " + std::to_string(cols); }
};

constexpr Shape kCheckShape{1000, 777};    // no tile divides it, and swapped extents show
constexpr Shape kTimedShape{16384, 8192};  // 9 times the L2 cache of an H200 in, and again out

struct Arguments {
  std::optional<Shape> shape;
  bool check_only, csv;
};

Arguments parse(int argc, const char* const* argv) {
  Options options(argc, argv);
  const auto rows = options.integer("--rows", 1, kMaxExtent);
  const auto cols = options.integer("--cols", 1, kMaxExtent);
  Arguments arguments{std::nullopt, options.flag("--check"), options.flag("--csv")};
  if (rows || cols) {
    arguments.shape =
        Shape{static_cast<int>(rows ? *rows : *cols), static_cast<int>(cols ? *cols : *rows)};
  }
  options.finish(kUsage);
  return arguments;
}

// Throws UsageError if `matrices` of this shape do not fit the device.
void require_memory(const Shape& shape, int matrices, const DeviceInfo& device) {
  const double needed_bytes = static_cast<double>(shape.bytes()) * matrices;
  const double free_bytes = static_cast<double>(device.free_bytes);
  if (needed_bytes <= free_bytes) return;
  const auto side = static_cast<long long>(std::sqrt(free_bytes / (matrices * sizeof(float))));
  char message[256];
  std::snprintf(message, sizeof message,
                "%d matrices of %s floats need %.2f GB of device memory; %.2f GB are free. "
                "The largest squares that fit are about %lld x %lld.",
                matrices, shape.text().c_str(), needed_bytes * 1e-9, free_bytes * 1e-9, side, side);
  throw UsageError(message);
}

// Throws std::runtime_error if the output is not exactly the reference's, or the input has changed.
void check(const MatrixOperation& operation, const std::vector<float>& h_in,
           const DeviceBuffer<float>& d_in, const DeviceBuffer<float>& d_out, const Shape& shape) {
  const std::vector<float> h_out = d_out.to_host();
  const std::vector<float> expected = operation.reference(h_in, shape.rows, shape.cols);
  if (const auto mismatch = find_mismatch(h_out, expected)) {
    char message[256];
    std::snprintf(
        message, sizeof message,
        "WRONG for %s: %zu of %zu elements differ. The first is out[%zu]: expected %g, got %g.",
        shape.text().c_str(), mismatch->count, shape.size(), mismatch->first,
        static_cast<double>(expected[mismatch->first]),
        static_cast<double>(h_out[mismatch->first]));
    throw std::runtime_error(message);
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

void print(const std::string& program, const Shape& shape, const std::vector<Timing>& timings,
           const DeviceInfo& device, bool csv) {
  const Timing &own = timings[0], &copy = timings[1];
  const double gb =
      2e-9 * static_cast<double>(shape.bytes());  // each element is read once and written once
  const double gb_per_s = gb / (own.median_ms * 1e-3), copy_gb_per_s = gb / (copy.median_ms * 1e-3);
  if (csv) {
    std::printf(
        "program,rows,cols,median_ms,min_ms,max_ms,gb_per_s,copy_median_ms,copy_min_ms,copy_max_ms,"
        "copy_gb_per_s,ratio_to_copy,device,driver,cuda\n");
    std::printf("%s,%d,%d,%.5f,%.5f,%.5f,%.1f,%.5f,%.5f,%.5f,%.1f,%.4f,%s,%s,%s\n", program.c_str(),
                shape.rows, shape.cols, own.median_ms, own.min_ms, own.max_ms, gb_per_s,
                copy.median_ms, copy.min_ms, copy.max_ms, copy_gb_per_s, gb_per_s / copy_gb_per_s,
                device.name.c_str(), device.driver.c_str(), device.cuda.c_str());
    return;
  }
  std::printf("%s: %s floats on %s\n", program.c_str(), shape.text().c_str(), device.name.c_str());
  std::printf("  this stage   %8.4f ms  %7.1f GB/s\n", own.median_ms, gb_per_s);
  std::printf("  plain copy   %8.4f ms  %7.1f GB/s   the stage reaches %.1f %% of it\n",
              copy.median_ms, copy_gb_per_s, 100 * gb_per_s / copy_gb_per_s);
}

int run_or_throw(const MatrixOperation& operation, const std::string& program,
                 const Arguments& arguments) {
  const DeviceInfo device = require_device();
  const bool timed = !arguments.check_only && !device.simulated;
  if (arguments.csv && !timed) {
    throw UsageError("--csv asks for a time, and there is none without a GPU or with --check.");
  }

  // A timed run checks its own result too, so the shape to time need not be checked before.
  const Shape checked = timed ? kCheckShape : arguments.shape.value_or(kCheckShape);
  require_memory(checked, 2, device);  // input and output
  run_and_check(operation, checked);
  if (!arguments.csv) {
    std::printf("%s: %s floats, all equal to the CPU's result\n", program.c_str(),
                checked.text().c_str());
  }
  if (timed) {
    const Shape shape = arguments.shape.value_or(kTimedShape);
    require_memory(shape, 3, device);  // the copy's output too
    print(program, shape, time_beside_copy(operation, shape), device, arguments.csv);
  }
  return 0;
}

}  // namespace

int run_program(const MatrixOperation& operation, int argc, const char* const* argv) {
  const std::string path = argv[0], program = path.substr(path.rfind('/') + 1);
  try {
    return run_or_throw(operation, program, parse(argc, argv));
  } catch (const UsageError& error) {
    std::fprintf(stderr, "%s: %s\n", program.c_str(), error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program.c_str(), error.what());
    return 1;
  }
}
