#pragma once

#include <algorithm>
#include <limits>
#include <vector>

// The largest element, as the one output of an operation (program.h).
inline std::vector<double> maximum_reference(const std::vector<double>& in) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const double x : in) largest = std::max(largest, x);
  return {largest};
}
