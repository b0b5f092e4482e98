#pragma once

#include "chapters/ch8_tsne/harness/host_points.h"

#include <vector>

// The results of the kernels of chapters/ch8_tsne/products/centre_kernel.h, copied to the host.
struct CentredVectors {
  int vectors, components;    // including those past the last one
  std::vector<float> values;  // row-major
  std::vector<float> norms, means;
};

// With their mean subtracted, or unchanged.
CentredVectors centred_vectors(const HostPoints& points, bool centre);
