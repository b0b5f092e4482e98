// Map of host arrays, step 01: pageable memory
//
// Copy x to the GPU, map it there, and copy y back, in this order. The arrays are ordinary memory
// of the host, *pageable*: the driver first copies each part into its own pinned buffer.
//
// Cost: 4 bytes per element over the bus in each direction, and twice through the host's memory.

#include "host/host_map.h"
#include "vector_map.h"

#include "common/cuda_check.h"

void host_map(const float* h_x, float* h_y, float* d_x, float* d_y, std::size_t n) {
  if (n == 0) return;
  CUDA_CHECK(cudaMemcpy(d_x, h_x, n * sizeof(float), cudaMemcpyHostToDevice));
  vector_map(d_x, d_y, n);
  CUDA_CHECK(cudaMemcpy(h_y, d_y, n * sizeof(float), cudaMemcpyDeviceToHost));
}

bool needs_pinned_memory() { return false; }
