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

// How far from the reference a density may be, relative to it, if |z| is at most `largest_z`.
//
// u = 2^-53 is the most that one operation rounds by, relatively. z is rounded twice and its square
// twice more, so the exponent z^2 / 2 is off by 6 u of itself at most (the errors of z count
// double), and the exponential by as much as the exponent is in all, and by its own: CUDA's and the
// C library's are good to 1 ulp, 2 u. All terms are positive, so the sum is off by no more than
// they are, and by u for each addition; 4 u are for the factor in the end. The kernel and the
// reference may each be as far off.
constexpr double density_tolerance(std::size_t samples, double largest_z) {
  return 2 * (static_cast<double>(samples) + 3 * largest_z * largest_z + 2 + 4) * 0x1p-53;
}
