#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

// The densities of kernel_density() in kernel_density.h, plain C++, one thread.
inline std::vector<double> kernel_density_reference(const std::vector<double>& samples,
                                                    const std::vector<double>& points,
                                                    double bandwidth) {
  const double normal = static_cast<double>(samples.size()) * bandwidth * std::sqrt(2 * M_PI);
  std::vector<double> density;
  for (const double point : points) {
    double sum = 0;
    for (const double sample : samples) {
      const double z = (point - sample) / bandwidth;
      sum += std::exp(-z * z / 2);
    }
    density.push_back(sum / normal);
  }
  return density;
}

// The largest relative distance from the reference that a density can have, if |z| is at most
// `largest_z`.
//
// u = 2^-53 is the largest relative rounding error of one operation. z is rounded twice and its
// square twice more, so the relative error of the exponent z^2 / 2 is at most 6 u (the errors of z
// count double). The relative error of the exponential is the absolute error of the exponent plus
// its own: in CUDA and in the C library at most 1 ulp, 2 u. All terms are positive, so the relative
// error of the sum is at most theirs plus u per addition; 4 u are for the final factor. The kernel
// and the reference can each have this error.
constexpr double density_tolerance(std::size_t samples, double largest_z) {
  return 2 * (static_cast<double>(samples) + 3 * largest_z * largest_z + 2 + 4) * 0x1p-53;
}
