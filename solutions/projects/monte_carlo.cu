// Solution of the project Monte Carlo: two atomicAdd per block
//
// A block adds its values and their squares in two trees in shared memory, and its thread 0 adds
// the two sums to the workspace. A second kernel of one thread turns them into mean and error.
//
// Cost: two atomic requests for each of at most 256 blocks. The blocks add in an order that is not
// defined, so the last digits differ from run to run.

#include "monte_carlo.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

constexpr unsigned kThreads = 256, kMaxBlocks = 256;

__global__ void sums_kernel(std::uint64_t seed, std::size_t n, double* sums) {
  __shared__ double values[kThreads], squares[kThreads];
  double sum = 0, sum_of_squares = 0;
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    const double y = integrand(random_number(seed, i));
    sum += y;
    sum_of_squares += y * y;
  }
  values[threadIdx.x] = sum;
  squares[threadIdx.x] = sum_of_squares;
  __syncthreads();
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      values[threadIdx.x] += values[threadIdx.x + half];
      squares[threadIdx.x] += squares[threadIdx.x + half];
    }
    __syncthreads();  // the next step reads what this one wrote
  }
  if (threadIdx.x == 0) {
    atomicAdd(&sums[0], values[0]);
    atomicAdd(&sums[1], squares[0]);
  }
}

__global__ void estimate_kernel(const double* sums, std::size_t n, double* estimate) {
  const double count = static_cast<double>(n);
  const double mean = sums[0] / count;
  const double variance = (sums[1] - sums[0] * mean) / (count - 1);
  estimate[0] = mean;
  estimate[1] = sqrt(fmax(variance, 0.0) / count);  // rounding can make a tiny variance negative
}

void monte_carlo(std::uint64_t seed, std::size_t n, double* d_estimate, double* d_workspace,
                 cudaStream_t stream) {
  const std::size_t full = ceil_div(n, std::size_t{kThreads});
  const auto blocks = static_cast<unsigned>(full < kMaxBlocks ? full : kMaxBlocks);
  CUDA_CHECK(cudaMemsetAsync(d_workspace, 0, 2 * sizeof(double), stream));  // 0.0 has no bit set
  sums_kernel<<<blocks, kThreads, 0, stream>>>(seed, n, d_workspace);
  CUDA_CHECK(cudaGetLastError());
  estimate_kernel<<<1, 1, 0, stream>>>(d_workspace, n, d_estimate);
  CUDA_CHECK(cudaGetLastError());
}
