#pragma once

#include "component_index.h"

#include <cstddef>
#include <vector>

// The same as Points, in host memory, which it owns.
struct HostPoints {
  std::vector<float> data;
  int count, dimensions;
  Layout layout;

  double at(int i, int k) const {
    return layout == Layout::kRowMajor
               ? data[component_index<Layout::kRowMajor>(i, k, count, dimensions)]
               : data[component_index<Layout::kTransposed>(i, k, count, dimensions)];
  }
};

// The sum over k of (x(i, k) - x(j, k))^2.
inline double squared_distance(const HostPoints& points, int i, int j) {
  double sum = 0;
  for (int k = 0; k < points.dimensions; ++k) {
    const double difference = points.at(i, k) - points.at(j, k);
    sum += difference * difference;
  }
  return sum;
}

// The same vectors in the given layout.
inline HostPoints in_layout(const HostPoints& points, Layout layout) {
  HostPoints result{points.data, points.count, points.dimensions, layout};
  for (int i = 0; i < points.count; ++i) {
    for (int k = 0; k < points.dimensions; ++k) {
      const std::size_t to =
          layout == Layout::kRowMajor
              ? component_index<Layout::kRowMajor>(i, k, points.count, points.dimensions)
              : component_index<Layout::kTransposed>(i, k, points.count, points.dimensions);
      result.data[to] = static_cast<float>(points.at(i, k));
    }
  }
  return result;
}
