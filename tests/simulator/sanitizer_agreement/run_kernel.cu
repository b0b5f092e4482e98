#include "cases.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

void run_kernel(InOutKernel kernel, int blocks, int block_threads) {
  const int size = blocks * block_threads;
  std::vector<int> h_in(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) h_in[static_cast<std::size_t>(i)] = 3 * i % 7;
  const DeviceBuffer<int> d_in(h_in);
  DeviceBuffer<int> d_out = zeros<int>(h_in.size());
  kernel<<<blocks, block_threads>>>(d_in.data(), d_out.data());
  finish_kernel();
}
