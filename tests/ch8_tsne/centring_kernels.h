#pragma once

#include "chapters/ch8_tsne/harness/host_points.h"

#include <vector>

// What the kernels of chapters/ch8_tsne/products/centre_kernel.h leave, brought to the host.
struct CentredVectors {
  int vectors, components;    // with those past the last one
  std::vector<float> values;  // vector after vector
  std::vector<float> norms, means;
};

// With their mean taken off, or as they are.
CentredVectors centred_vectors(const HostPoints& points, bool centre);
