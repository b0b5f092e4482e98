// Stage 05: vectorized: 16-byte loads, four in flight
//
// A thread loads four pairs of doubles, 64 bytes, before it uses the first, because the bytes in
// flight keep memory busy. These doubles are not needed again; __ldcs gives this hint to the cache.
// The loop iterates over tiles: a block adds 4096 doubles, then the 4096 doubles one grid further
// on. A block has half the threads of stage 04, so four blocks, not two, share a multiprocessor:
// while one block waits for its last warps, the three other blocks load.
//
// Cost: half the requests of stage 04, with 16 sectors each. The bytes and the exchange at the end
// of a block do not change. Next: 06_single_pass.cu.

#include "reduction.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <algorithm>
#include <cstddef>

constexpr std::size_t kThreads = 512;       // four such blocks fill a multiprocessor
constexpr unsigned kWarps = kThreads / 32;  // at most 32, so that one warp can add their sums
constexpr int kPairsPerThread = 4;          // 64 bytes in flight per thread
constexpr std::size_t kTilePairs = kThreads * kPairsPerThread;  // 32 KB
// Several times the blocks that an H200 runs at once (132 x 4): other SMs continue if one is slow.
constexpr std::size_t kMaxBlocks = 4096;

// The sum over the warp, in lane 0.
__device__ double warp_sum(double value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_down_sync(0xffffffff, value, offset);
  }
  return value;
}

// The sum over the block, in thread 0.
__device__ double block_sum(double value) {
  __shared__ double warp_sums[kWarps];
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;

  value = warp_sum(value);
  if (lane == 0) warp_sums[warp] = value;
  __syncthreads();  // the first warp reads what all warps wrote
  if (warp == 0) value = warp_sum(lane < kWarps ? warp_sums[lane] : 0.0);
  return value;
}

__global__ void log_likelihood_vectorized_kernel(const double* __restrict__ in, double* sum,
                                                 std::size_t size) {
  const double2* const pairs = reinterpret_cast<const double2*>(in);
  const std::size_t pair_count = size / 2;

  double thread_sum = 0.0;
  for (std::size_t tile = blockIdx.x * kTilePairs; tile < pair_count;
       tile += gridDim.x * kTilePairs) {
    double2 pair[kPairsPerThread] = {};  // past the end: the term of x = 0 is 0
#pragma unroll
    for (int k = 0; k < kPairsPerThread; ++k) {
      const std::size_t i = tile + k * kThreads + threadIdx.x;
      if (i < pair_count) pair[k] = __ldcs(pairs + i);
    }
#pragma unroll
    for (int k = 0; k < kPairsPerThread; ++k) {
      thread_sum += log_density(pair[k].x) + log_density(pair[k].y);
    }
  }
  if (size % 2 == 1 && blockIdx.x == 0 && threadIdx.x == 0) {
    thread_sum += log_density(in[size - 1]);  // the odd element
  }

  const double sum_of_block = block_sum(thread_sum);
  if (threadIdx.x == 0) atomicAdd(sum, sum_of_block);
}

static std::size_t block_count(std::size_t size) {
  return std::clamp<std::size_t>(ceil_div(size / 2, kTilePairs), 1, kMaxBlocks);
}

void log_likelihood(const double* d_in, double* d_sum, std::size_t size, void* /*d_workspace*/,
                    cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(block_count(size));
  CUDA_CHECK(cudaMemsetAsync(d_sum, 0, sizeof(double), stream));  // 0.0 has no bit set
  log_likelihood_vectorized_kernel<<<blocks, kThreads, 0, stream>>>(d_in, d_sum, size);
  CUDA_CHECK(cudaGetLastError());
}

SumOrder sum_order(std::size_t size) {
  const std::size_t blocks = block_count(size);
  const std::size_t iterations = ceil_div(ceil_div(size / 2, kTilePairs), blocks);
  // 1 within a pair, 1 per pair, 1 for the last element; 5 + 4 shuffles; the atomic additions.
  return {1 + iterations * kPairsPerThread + 1 + 9 + blocks, false};
}
