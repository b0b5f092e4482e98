#include "harness/problem.h"

#include "baselines/fma_rate.h"
#include "harness/reference.h"

#include "common/harness/random.h"
#include "common/harness/sample.h"

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <type_traits>

namespace {

std::size_t elements(int rows, int cols) { return static_cast<std::size_t>(rows) * cols; }

template <typename T>
std::vector<T> random_elements(std::size_t count, std::uint64_t seed) {
  if constexpr (std::is_same_v<T, float>) {
    return random_floats(count, seed);
  } else {
    return random_doubles(count, seed);
  }
}

}  // namespace

std::string ProductSize::text() const {
  return format("%d x %d by %d x %d %s", shape.m, shape.k, shape.k, shape.n,
                bits == 32 ? "floats" : "doubles");
}

std::vector<OptionHelp> ProductOptions::options() {
  return {{"--m M  --n N  --k K", "the product of M x K and K x N (default: the first one given)"},
          {"--bits B", "32 for floats, which is the default; 64 for doubles"}};
}

ProductOptions::Asked ProductOptions::parse(Options& options) {
  const auto m = options.integer<int>("--m", 1, kMaxExtent);
  const auto n = options.integer<int>("--n", 1, kMaxExtent);
  const auto k = options.integer<int>("--k", 1, kMaxExtent);
  const int bits = options.integer<int>("--bits", 32, 64).value_or(32);
  if (bits != 32 && bits != 64) throw UsageError(format("--bits is 32 or 64, not %d.", bits));
  if (!m && !n && !k) return {std::nullopt, bits};
  const int side = m ? *m : n ? *n : *k;
  return {ProductShape{side, n.value_or(side), k.value_or(side)}, bits};
}

Sizes<ProductSize> ProductOptions::sizes(const Asked& asked, bool is_timed) {
  constexpr ProductShape kToCheck{251, 197, 163};  // no tile or vector divides it
  constexpr ProductShape kToTime{8192, 8192, 8192};
  const auto [checked, timed] = sizes_of(asked.shape, kToCheck, kToTime, is_timed);
  return {{checked, asked.bits}, {timed, asked.bits}};
}

MemoryNeed ProductOptions::memory_need(const ProductSize& size, bool) {
  // In floating point, where no size overflows.
  const double m = size.shape.m, n = size.shape.n, k = size.shape.k, of_one = size.bits / 8;
  const double all = m * k + k * n + m * n;
  return {size.text(), all * of_one, (all + m * n) * of_one, [=](double share) {
            const double side = std::sqrt(all / 3 * share);
            return format("The largest squares that fit are about %.0f x %.0f.", side, side);
          }};
}

template <typename T>
ProductProblem<T>::ProductProblem(const ProductShape& shape, std::uint64_t seed, double error_bound)
    : size_{shape, 8 * sizeof(T)},
      error_bound_(error_bound),
      h_a_(random_elements<T>(elements(shape.m, shape.k), seed)),
      h_b_(random_elements<T>(elements(shape.k, shape.n), seed + 1)) {}

template <typename T>
std::string ProductProblem<T>::check() {
  errors_ = check_lattice(product());
  return format("%s, equal to the CPU's result to within %.2g\n  %s", size_.text().c_str(),
                error_bound_, errors_text(errors_, "sum of magnitudes").c_str());
}

template <typename T>
RelativeErrors ProductProblem<T>::check_lattice(const std::vector<T>& h_c) const {
  // 256 lines that are 32 apart in the shape that is timed: the side of the smallest tile.
  constexpr std::size_t kMostLines = 256;
  const auto [m, n, k] = size_.shape;
  const auto rows = sample_of<std::size_t>(m, kMostLines, /*seed=*/5);
  const auto cols = sample_of<std::size_t>(n, kMostLines, /*seed=*/6);
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
  const RelativeErrors errors = product_errors(c_crossings.data(), expected);
  if (!(errors.largest <= error_bound_)) {
    const std::size_t at = errors.where;
    throw std::runtime_error(format("WRONG for %s: c(%zu, %zu) should be %.17g and is %.17g.",
                                    size_.text().c_str(), rows[at / cols.size()],
                                    cols[at % cols.size()], expected.values[at],
                                    static_cast<double>(c_crossings[at])));
  }
  return errors;
}

template <typename T>
void ProductProblem<T>::queue_ceiling() {
  fma_operations_ = fma_rate(d_unused_.data());
}

template <typename T>
Measurement ProductProblem<T>::measurement(const Timings& timings) const {
  const auto [m, n, k] = size_.shape;
  return {size_.text(),
          {{"m", std::to_string(m)},
           {"n", std::to_string(n)},
           {"k", std::to_string(k)},
           {"bits", std::to_string(size_.bits)}},
          {timings.own, 2.0 * m * n * k},
          {"multiply-adds", "fma", {timings.ceiling, fma_operations_}},
          kTflopPerS,
          {errors_text(errors_, "sum of magnitudes")},
          MeasuredErrors{errors_.largest, errors_.rms}};
}

template class ProductProblem<float>;
template class ProductProblem<double>;
