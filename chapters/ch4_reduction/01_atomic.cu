// Stage 01: one atomic addition per element
//
// One thread per element. All threads add to one address, and atomicAdd makes sure that no addition
// is lost. In which order they come is chance, and so are the last bits of the sum.
//
// Cost: the loads are ideal: 32 neighbouring doubles are 8 sectors a request. But the cache adds
// to one address one value at a time, so `size` additions wait in one queue. The memset that sets
// the sum to 0 is work in the stream too. Next: 02_shared_tree.cu.

#include "reduction.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr std::size_t kThreads = 1024;

__global__ void log_likelihood_atomic_kernel(const double* __restrict__ in, double* sum,
                                             std::size_t size) {
  const std::size_t i = blockIdx.x * kThreads + threadIdx.x;
  if (i < size) atomicAdd(sum, log_density(in[i]));
}

void log_likelihood(const double* d_in, double* d_sum, std::size_t size, void* /*d_workspace*/,
                    cudaStream_t stream) {
  CUDA_CHECK(cudaMemsetAsync(d_sum, 0, sizeof(double), stream));  // 0.0 has no bit set
  if (size == 0) return;
  const auto blocks = static_cast<unsigned>(ceil_div(size, kThreads));
  log_likelihood_atomic_kernel<<<blocks, kThreads, 0, stream>>>(d_in, d_sum, size);
  CUDA_CHECK(cudaGetLastError());
}

SumOrder sum_order(std::size_t size) { return {size, false}; }
