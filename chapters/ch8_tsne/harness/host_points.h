#pragma once

#include "points.h"

#include <cstddef>
#include <vector>

// As Points, in the host's memory, which it owns.
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

// The same vectors, in that layout.
HostPoints in_layout(const HostPoints& points, Layout layout);
