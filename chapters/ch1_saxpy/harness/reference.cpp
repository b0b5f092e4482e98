#include "harness/reference.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>

template <typename T>
std::optional<Mismatch> find_saxpy_mismatch(const std::vector<T>& result, T a,
                                            const std::vector<T>& x, const std::vector<T>& y) {
  if (result.size() != x.size() || result.size() != y.size()) {
    throw std::invalid_argument("find_saxpy_mismatch: x, y and the result differ in length");
  }
  using Wide = decltype(saxpy_reference(a, a, a));
  // u, and the error of both roundings; those of the reference are below u / 1000 for doubles.
  constexpr Wide kUnit = std::numeric_limits<T>::epsilon() / 2;
  constexpr Wide kRounding = kUnit * (1 + (sizeof(T) == sizeof(float) ? kUnit : Wide{0x1p-9}));
  // Near 0 floats are 2^-149 apart, whatever their size; doubles 2^-1074.
  constexpr Wide kSmallest = static_cast<Wide>(std::numeric_limits<T>::denorm_min()) / 2;
  Mismatch mismatch{result.size(), 0};
  for (std::size_t i = result.size(); i-- > 0;) {
    const Wide expected = saxpy_reference(a, x[i], y[i]);
    const Wide product = static_cast<Wide>(a) * x[i];
    const Wide bound = kRounding * (std::abs(product) + std::abs(expected)) + kSmallest;
    if (std::abs(result[i] - expected) <= bound) continue;
    mismatch.first = i;
    ++mismatch.count;
  }
  return mismatch.count > 0 ? std::optional(mismatch) : std::nullopt;
}

template std::optional<Mismatch> find_saxpy_mismatch(const std::vector<float>&, float,
                                                     const std::vector<float>&,
                                                     const std::vector<float>&);
template std::optional<Mismatch> find_saxpy_mismatch(const std::vector<double>&, double,
                                                     const std::vector<double>&,
                                                     const std::vector<double>&);
