#include "harness/program.h"

#include "baselines/fma_rate.h"
#include "matmul.h"
#include "harness/reference.h"

#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "common/harness/measurement.h"
#include "common/harness/program.h"
#include "common/harness/random.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace {

const std::vector<OptionHelp> kOptions{
    {"--m M  --n N  --k K", "the product of M x K and K x N (what is left out: as the first)"},
    {"--bits B", "32 for floats, which is the default; 64 for doubles"},
};

constexpr ProductShape kCheckShape{251, 197, 163};  // no tile or vector divides it
constexpr ProductShape kTimedShape{8192, 8192, 8192};
// Lines of a lattice: 32 rows or columns apart in the timed shape, a tile of the smallest kind.
constexpr std::size_t kMostLines = 256;

struct Arguments {
  std::optional<ProductShape> shape;
  int bits;
};

Arguments parse(Options& options) {
  const auto m = options.integer("--m", 1, kMaxExtent);
  const auto n = options.integer("--n", 1, kMaxExtent);
  const auto k = options.integer("--k", 1, kMaxExtent);
  const auto bits = options.integer("--bits", 32, 64).value_or(32);
  if (bits != 32 && bits != 64) {
    throw UsageError(format("--bits is 32 or 64, not %lld.", bits));
  }
  if (!m && !n && !k) return {std::nullopt, static_cast<int>(bits)};
  const long long side = m ? *m : n ? *n : *k;
  return {ProductShape{static_cast<int>(side), static_cast<int>(n.value_or(side)),
                       static_cast<int>(k.value_or(side))},
          static_cast<int>(bits)};
}

std::size_t elements(int rows, int cols) { return static_cast<std::size_t>(rows) * cols; }
double products(const ProductShape& shape) {
  return static_cast<double>(shape.m) * shape.n * shape.k;
}

template <typename T>
std::string text(const ProductShape& shape) {
  return format("%d x %d by %d x %d %s", shape.m, shape.k, shape.k, shape.n,
                std::is_same_v<T, float> ? "floats" : "doubles");
}

// Throws UsageError if the three matrices do not fit the device, or these and the reference the
// host.
template <typename T>
void require_memory_for(const ProductShape& shape, const DeviceInfo& device) {
  // In floating point, where no size overflows.
  const double m = shape.m, n = shape.n, k = shape.k;
  const double bytes = (m * k + k * n + m * n) * sizeof(T);
  require_memory(device, {bytes, bytes + m * n * sizeof(T)}, text<T>(shape), [&](double share) {
    const double side = std::sqrt(bytes / sizeof(T) / 3 * share);
    return format("The largest squares that fit are about %.0f x %.0f.", side, side);
  });
}

template <typename T>
std::vector<T> random_elements(std::size_t count, std::uint64_t seed) {
  if constexpr (std::is_same_v<T, float>) {
    return random_floats(count, seed);
  } else {
    return random_doubles(count, seed);
  }
}

// Two random factors, on the host and the device, and their product, which starts as NaN, so that
// what is not written shows.
template <typename T>
class Data {
 public:
  Data(const ProductShape& shape, std::uint64_t seed)
      : shape_(shape),
        h_a_(random_elements<T>(elements(shape.m, shape.k), seed)),
        h_b_(random_elements<T>(elements(shape.k, shape.n), seed + 1)),
        d_a_(h_a_),
        d_b_(h_b_),
        d_c_(elements(shape.m, shape.n)) {
    d_c_.fill_bytes(0xff);
  }

  void run() {
    const auto [m, n, k] = shape_;
    matmul(Matrix<const T>{d_a_.data(), m, k}, Matrix<const T>{d_b_.data(), k, n},
           Matrix<T>{d_c_.data(), m, n});
  }

  // Throws std::runtime_error if a product is wrong or a factor has changed.
  ProductError check() const {
    if (d_a_.to_host() != h_a_ || d_b_.to_host() != h_b_) {
      throw std::runtime_error("WRONG: the kernel changed one of the factors.");
    }
    return check_against_reference(d_c_.to_host());
  }

  static double error_bound(int k) {
    return std::is_same_v<T, float> ? float_error_bound(k) : double_error_bound(k);
  }

 private:
  // Against the reference: all of c if it is small, else a lattice that meets every tile.
  ProductError check_against_reference(const std::vector<T>& h_c) const {
    const auto [m, n, k] = shape_;
    const std::vector<std::size_t> rows = lattice(m, /*seed=*/5), cols = lattice(n, /*seed=*/6);
    std::vector<T> a_rows, b_cols, c_crossings;
    for (const std::size_t row : rows) {
      const auto first = h_a_.begin() + static_cast<std::ptrdiff_t>(row * k);
      a_rows.insert(a_rows.end(), first, first + k);
      for (const std::size_t col : cols) c_crossings.push_back(h_c[row * n + col]);
    }
    for (int p = 0; p < k; ++p) {
      for (const std::size_t col : cols) b_cols.push_back(h_b_[elements(p, n) + col]);
    }
    const ProductShape crossings{static_cast<int>(rows.size()), static_cast<int>(cols.size()), k};
    const Expected expected = matmul_reference(a_rows, b_cols, crossings);
    const ProductError error = product_error(c_crossings.data(), expected);
    if (!(error.largest <= error_bound(k))) {
      const std::size_t at = error.where;
      throw std::runtime_error(format("WRONG for %s: c(%zu, %zu) should be %.17g and is %.17g.",
                                      text<T>(shape_).c_str(), rows[at / cols.size()],
                                      cols[at % cols.size()], expected.values[at],
                                      static_cast<double>(c_crossings[at])));
    }
    return error;
  }

  // All of 0 to extent - 1 or, where these are too many, the first, the last, and from each of
  // kMostLines equal stretches one that chance has chosen.
  static std::vector<std::size_t> lattice(int extent, std::uint64_t seed) {
    RandomBits bits(seed);
    const auto size = static_cast<std::size_t>(extent), lines = std::min(size, kMostLines);
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < lines; ++i) {
      const std::size_t first = size * i / lines, end = size * (i + 1) / lines;
      chosen.push_back(first + bits() % (end - first));
    }
    chosen.front() = 0;
    chosen.back() = size - 1;
    return chosen;
  }

  ProductShape shape_;
  std::vector<T> h_a_, h_b_;
  DeviceBuffer<T> d_a_, d_b_, d_c_;
};

std::string error_text(const ProductError& error) {
  return format("largest error %.2g of the sum of magnitudes, rms %.2g", error.largest, error.rms);
}

template <typename T>
void run_and_check(const ProductShape& shape, const Program& program) {
  Data<T> data(shape, /*seed=*/1);
  data.run();
  CUDA_CHECK(cudaDeviceSynchronize());  // an error inside the kernel shows here
  const ProductError error = data.check();
  if (program.prints_csv) return;
  std::printf("%s: %s, equal to the CPU's result to within %.2g\n  %s\n", program.name.c_str(),
              text<T>(shape).c_str(), Data<T>::error_bound(shape.k), error_text(error).c_str());
}

// matmul() and the multiply-adds alone, in turn. Checks the result of the timed runs.
template <typename T>
Measurement time_beside_fma_rate(const ProductShape& shape) {
  Data<T> data(shape, /*seed=*/3);
  DeviceBuffer<T> d_unused(1);
  double fma_operations = 0;
  const std::vector<Timing> timings =
      time_interleaved({[&] { data.run(); }, [&] { fma_operations = fma_rate(d_unused.data()); }});
  const ProductError error = data.check();
  return {text<T>(shape),
          {{"m", std::to_string(shape.m)},
           {"n", std::to_string(shape.n)},
           {"k", std::to_string(shape.k)},
           {"bits", std::to_string(8 * sizeof(T))}},
          {timings[0], 2 * products(shape)},
          {"multiply-adds", "fma", {timings[1], fma_operations}},
          kTflopPerS,
          {error_text(error)},
          MeasuredErrors{error.largest, error.rms}};
}

template <typename T>
void run(const Program& program, const std::optional<ProductShape>& asked) {
  // A timed run checks its own result too, so the shape to time need not be checked before.
  const ProductShape checked = program.is_timed ? kCheckShape : asked.value_or(kCheckShape);
  require_memory_for<T>(checked, program.device);
  run_and_check<T>(checked, program);
  if (program.is_timed) {
    const ProductShape shape = asked.value_or(kTimedShape);
    require_memory_for<T>(shape, program.device);
    print_measurement(program, time_beside_fma_rate<T>(shape));
  }
}

}  // namespace

int run_program(int argc, const char* const* argv) {
  return program_main(argc, argv, kOptions, parse,
                      [](const Program& program, const Arguments& arguments) {
                        if (arguments.bits == 32) {
                          run<float>(program, arguments.shape);
                        } else {
                          run<double>(program, arguments.shape);
                        }
                      });
}
