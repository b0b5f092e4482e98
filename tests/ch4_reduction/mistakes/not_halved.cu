// Sums the squares, not their halves.
// Rejected by: MatchesReference

#include "reduction.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <algorithm>
#include <cstddef>

constexpr std::size_t kThreads = 1024;

__global__ void log_likelihood_atomic_kernel(const double* __restrict__ in, double* sum,
                                             std::size_t size) {
  const std::size_t i = blockIdx.x * kThreads + threadIdx.x;
  if (i < size) atomicAdd(sum, -in[i] * in[i]);
}

void log_likelihood(const double* d_in, double* d_sum, std::size_t size, void* /*d_workspace*/,
                    cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(ceil_div(std::max<std::size_t>(size, 1), kThreads));
  CUDA_CHECK(cudaMemsetAsync(d_sum, 0, sizeof(double), stream));  // 0.0 has no bit set
  log_likelihood_atomic_kernel<<<blocks, kThreads, 0, stream>>>(d_in, d_sum, size);
  CUDA_CHECK(cudaGetLastError());
}

SumOrder sum_order(std::size_t size) { return {size, false}; }
