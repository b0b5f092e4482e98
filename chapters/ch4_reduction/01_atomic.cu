// Stage 01: atomic: one atomicAdd per element
//
// The sum of log_density(x) = -x * x / 2 (reduction.h) over all elements x. Each thread adds the
// term of one element. All threads add to the same address, and atomicAdd makes sure that
// no addition is lost. The order of the additions is not defined, so the last bits of the sum can
// differ from run to run.
//
// Cost: the loads are optimal: 32 consecutive doubles are 8 sectors per request. But all `size`
// additions go to the same address, and the L2 cache executes them one at a time: they are
// serialised (contention). The memset that sets the sum to 0 is work in the stream too.
// Next: 02_shared_tree.cu.

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
  const unsigned blocks = ceil_div(size, kThreads);
  log_likelihood_atomic_kernel<<<blocks, kThreads, 0, stream>>>(d_in, d_sum, size);
  CUDA_CHECK(cudaGetLastError());
}
