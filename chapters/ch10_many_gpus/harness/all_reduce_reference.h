#pragma once

#include "common/harness/format.h"

#include <cmath>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

// Describes the first error in the results of an all-reduce of `in`, one array per GPU; empty if
// there is none. The error of a sum of G floats can be G - 1 roundings of 2^-24 of the sum of their
// magnitudes, and one more rounding for the higher powers. All GPUs must have the same bits.
inline std::string wrong_all_reduce(const std::vector<std::vector<float>>& in,
                                    const std::vector<std::vector<float>>& out) {
  for (std::size_t i = 0; i < in[0].size(); ++i) {
    double sum = 0, magnitude = 0;
    for (const std::vector<float>& one : in) {
      sum += one[i];
      magnitude += std::abs(one[i]);
    }
    const double tolerance = static_cast<double>(in.size()) * 0x1p-24 * magnitude;
    for (std::size_t g = 0; g < out.size(); ++g) {
      const double error = std::abs(out[g][i] - sum);
      if (!(error <= tolerance) && !(std::isnan(sum) && std::isnan(out[g][i]))) {
        return format("element %zu on GPU %zu: expected %.9g, got %s.", i, g, sum,
                      printed(out[g][i], 9).c_str());
      }
    }
    for (std::size_t g = 1; g < out.size(); ++g) {
      if (std::memcmp(&out[g][i], &out[0][i], sizeof(float)) != 0) {
        return format("element %zu is %.9g on GPU 0 and %.9g on GPU %zu.", i, out[0][i], out[g][i],
                      g);
      }
    }
  }
  return "";
}
