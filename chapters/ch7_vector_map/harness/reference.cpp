#include "harness/reference.h"

#include "common/harness/cpu_baseline.h"
#include "common/harness/format.h"

#include <algorithm>
#include <cmath>
#include <limits>

long double map_reference(long double x) { return std::tan(x) + 3 * std::sin(x); }

namespace {

// The distance from |value| to the next larger T of the same exponent.
template <typename T, typename Real>
Real ulp(Real value) {
  using Limits = std::numeric_limits<T>;
  const int exponent = value == 0 ? Limits::min_exponent : std::ilogb(value) + 1;
  return std::ldexp(Real{1}, std::max(exponent, Limits::min_exponent) - Limits::digits);
}

// Whether double precision is enough to show that y is correct. For most floats it is, and the
// functions of long double take five times as long.
bool is_clearly_right(float y, float x, const Accuracy& accuracy) {
  const double tangent = std::tan(double{x}), three_sines = 3 * std::sin(double{x});
  const double expected = tangent + three_sines;
  const double larger_term = std::max(std::abs(tangent), std::abs(three_sines));
  const double of = accuracy.in_ulp_of_larger_term ? larger_term : std::abs(expected);
  const double rounding = larger_term * 0x1p-50;  // four times the largest error of these lines
  return std::abs(y - expected) + rounding <= accuracy.max_error_ulp * ulp<float>(of - rounding);
}
bool is_clearly_right(double, double, const Accuracy&) { return false; }

}  // namespace

template <typename T>
double error_ulp(T y, T x, const Accuracy& accuracy) {
  const long double exact = x, tangent = std::tan(exact), three_sines = 3 * std::sin(exact);
  const long double expected = tangent + three_sines;
  if (std::isnan(expected) && std::isnan(y)) return 0;
  const long double measure = accuracy.in_ulp_of_larger_term
                                  ? std::max(std::abs(tangent), std::abs(three_sines))
                                  : std::abs(expected);
  return static_cast<double>(std::abs(y - expected) / ulp<T>(measure));
}

template <typename T>
std::optional<Mismatch> find_map_mismatch(const T* y, const T* x, std::size_t n,
                                          const Accuracy& accuracy) {
  const unsigned threads = n < 10000 ? 1 : cpu_cores();
  std::vector<Mismatch> found(threads, Mismatch{n, 0});
  for_each_chunk(n, threads, [&](unsigned chunk, std::size_t first, std::size_t last) {
    Mismatch mismatch{n, 0};
    for (std::size_t i = last; i-- > first;) {
      if (is_clearly_right(y[i], x[i], accuracy)) continue;
      if (error_ulp(y[i], x[i], accuracy) <= accuracy.max_error_ulp) continue;  // false for NaN
      mismatch = {i, mismatch.count + 1};
    }
    found[chunk] = mismatch;
  });
  Mismatch all{n, 0};
  for (const Mismatch& mismatch : found) {
    all = {std::min(all.first, mismatch.first), all.count + mismatch.count};
  }
  return all.count > 0 ? std::optional(all) : std::nullopt;
}

template <typename T>
std::string map_mismatch_text(const Mismatch& mismatch, const T* y, const T* x, std::size_t n,
                              const Accuracy& accuracy) {
  const int digits = std::numeric_limits<T>::max_digits10;
  const std::size_t i = mismatch.first;
  return format(
      "%zu of %zu elements are wrong. The first is y[%zu]: expected %.*Lg, got %s from x = %.*g, "
      "off by %.3g ulp of the %s; the limit is %.3g.",
      mismatch.count, n, i, digits, map_reference(x[i]), printed(y[i], digits).c_str(), digits,
      static_cast<double>(x[i]), error_ulp(y[i], x[i], accuracy),
      accuracy.in_ulp_of_larger_term ? "larger term" : "result", accuracy.max_error_ulp);
}

template double error_ulp(float, float, const Accuracy&);
template double error_ulp(double, double, const Accuracy&);
template std::optional<Mismatch> find_map_mismatch(const float*, const float*, std::size_t,
                                                   const Accuracy&);
template std::optional<Mismatch> find_map_mismatch(const double*, const double*, std::size_t,
                                                   const Accuracy&);
template std::string map_mismatch_text(const Mismatch&, const float*, const float*, std::size_t,
                                       const Accuracy&);
template std::string map_mismatch_text(const Mismatch&, const double*, const double*, std::size_t,
                                       const Accuracy&);
