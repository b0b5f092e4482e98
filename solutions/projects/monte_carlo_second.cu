// Second answer to the project Monte Carlo: partial sums, no atomic functions
//
// A warp adds in registers, by shuffles, and each block stores its two sums in the workspace. One
// more block adds those in a fixed order: mean and error have the same bits in every run. For the
// squares it takes the distances from 3, a number near the mean: they are small, so less is lost
// when the square of the mean is subtracted.
//
// Cost: two stores per block, and no atomic request. A block needs no array for its 256 values,
// only one for the sums of its 8 warps.

#include "monte_carlo.h"

#include "common/cuda_check.h"

constexpr unsigned kThreads = 256, kWarp = 32, kWarps = kThreads / kWarp;
constexpr unsigned kBlocks = kThreads;  // a thread of the last block for each
constexpr double kNear = 3;

struct Sums {
  double values, squares;
};
static_assert(kBlocks * sizeof(Sums) <= kWorkspaceDoubles * sizeof(double));

__device__ Sums plus(Sums a, Sums b) { return {a.values + b.values, a.squares + b.squares}; }

// The sums of all threads of the block, in thread 0. All threads must call it. of_warp: an array in
// shared memory, with an element for each warp.
__device__ Sums sums_of_block(Sums sums, Sums* of_warp) {
  for (unsigned half = kWarp / 2; half > 0; half /= 2) {
    sums = plus(sums, {__shfl_down_sync(0xffffffff, sums.values, half),
                       __shfl_down_sync(0xffffffff, sums.squares, half)});
  }
  if (threadIdx.x % kWarp == 0) of_warp[threadIdx.x / kWarp] = sums;
  __syncthreads();
  for (unsigned warp = 1; warp < kWarps; ++warp) sums = plus(sums, of_warp[warp]);
  return sums;
}

__global__ void partial_sums_kernel(std::uint64_t seed, std::size_t n, Sums* partial) {
  __shared__ Sums of_warp[kWarps];
  Sums sums{0, 0};
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    const double distance = integrand(random_number(seed, i)) - kNear;
    sums = plus(sums, {distance, distance * distance});
  }
  sums = sums_of_block(sums, of_warp);
  if (threadIdx.x == 0) partial[blockIdx.x] = sums;
}

__global__ void estimate_kernel(const Sums* partial, std::size_t n, double* estimate) {
  __shared__ Sums of_warp[kWarps];
  const Sums sums = sums_of_block(partial[threadIdx.x], of_warp);
  if (threadIdx.x == 0) {
    const double samples = static_cast<double>(n);
    const double distance = sums.values / samples;
    const double variance = (sums.squares - sums.values * distance) / (samples - 1);
    estimate[0] = kNear + distance;
    estimate[1] = sqrt(fmax(variance, 0.0) / samples);
  }
}

void monte_carlo(std::uint64_t seed, std::size_t n, double* d_estimate, double* d_workspace,
                 cudaStream_t stream) {
  auto* const partial = reinterpret_cast<Sums*>(d_workspace);
  partial_sums_kernel<<<kBlocks, kThreads, 0, stream>>>(seed, n, partial);
  CUDA_CHECK(cudaGetLastError());  // of this launch, before the next one
  estimate_kernel<<<1, kThreads, 0, stream>>>(partial, n, d_estimate);
  CUDA_CHECK(cudaGetLastError());
}
