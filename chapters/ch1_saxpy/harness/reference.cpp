#include "harness/reference.h"

#include <cmath>
#include <cstddef>
#include <stdexcept>

std::optional<Mismatch> find_saxpy_mismatch(const std::vector<float>& result, float a,
                                            const std::vector<float>& x,
                                            const std::vector<float>& y) {
  if (result.size() != x.size() || result.size() != y.size()) {
    throw std::invalid_argument("find_saxpy_mismatch: x, y and the result differ in length");
  }
  constexpr double kRounding = 0x1p-24 * (1 + 0x1p-24);  // u, and what both roundings make together
  constexpr double kSmallest = 0x1p-150;  // near 0 floats are 2^-149 apart, whatever their size
  Mismatch mismatch{result.size(), 0};
  for (std::size_t i = result.size(); i-- > 0;) {
    const double expected = saxpy_reference(a, x[i], y[i]);
    const double product = static_cast<double>(a) * x[i];
    const double bound = kRounding * (std::abs(product) + std::abs(expected)) + kSmallest;
    if (std::abs(result[i] - expected) <= bound) continue;
    mismatch.first = i;
    ++mismatch.count;
  }
  return mismatch.count > 0 ? std::optional(mismatch) : std::nullopt;
}
