// Map of doubles on the host, step 01: pageable memory
//
// Copy x to the GPU, map it in place there, and copy it back, in this order. This is the cost of
// the map if the numbers are on the CPU and the CPU needs the results.
//
// Cost: 8 bytes per element over the bus in each direction, one direction at a time.

#include "host_doubles/host_double.h"
#include "in_place_double.h"

#include "common/cuda_check.h"

void host_double_map(const double* h_x, double* h_y, double* d_x, std::size_t n) {
  if (n == 0) return;
  CUDA_CHECK(cudaMemcpy(d_x, h_x, n * sizeof(double), cudaMemcpyHostToDevice));
  double_map_in_place(d_x, n);
  CUDA_CHECK(cudaMemcpy(h_y, d_x, n * sizeof(double), cudaMemcpyDeviceToHost));
}

bool needs_pinned_memory() { return false; }
