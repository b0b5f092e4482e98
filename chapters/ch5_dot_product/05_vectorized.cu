// Stage 05: vectorized
//
// A thread loads two pairs of doubles from each vector, 64 bytes, before it uses the first, because
// the bytes in flight keep memory busy. No thread needs these doubles again; __ldcs gives this hint
// to the cache. A block loads a tile of 2048 doubles of both vectors, then the tile that lies one
// grid further on.
//
// Cost: half the requests, of 16 sectors each. If the number of elements is odd, one thread of the
// grid adds the product of the last element. Next: 06_single_pass.cu.

#include "dot_product.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <algorithm>
#include <cstddef>

constexpr std::size_t kThreads = 512;       // four such blocks fill a multiprocessor
constexpr unsigned kWarps = kThreads / 32;  // at most 32, so that one warp can add their sums
constexpr int kPairsPerThread = 2;          // of each vector: 64 bytes in flight per thread
constexpr std::size_t kTilePairs = kThreads * kPairsPerThread;  // 16 KB of each vector
// Several times the number of blocks that an H200 runs at once (132 x 4). If one block is slow,
// other SMs run the remaining blocks.
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

__global__ void dot_vectorized_kernel(const double* __restrict__ a, const double* __restrict__ b,
                                      std::size_t size, double* dot) {
  const double2* const a_pairs = reinterpret_cast<const double2*>(a);
  const double2* const b_pairs = reinterpret_cast<const double2*>(b);
  const std::size_t pair_count = size / 2;

  double thread_sum = 0.0;
  for (std::size_t tile = blockIdx.x * kTilePairs; tile < pair_count;
       tile += gridDim.x * kTilePairs) {
    double2 a_pair[kPairsPerThread] = {}, b_pair[kPairsPerThread] = {};  // past the end: 0 * 0
#pragma unroll
    for (int k = 0; k < kPairsPerThread; ++k) {
      const std::size_t i = tile + k * kThreads + threadIdx.x;
      if (i < pair_count) {
        a_pair[k] = __ldcs(a_pairs + i);
        b_pair[k] = __ldcs(b_pairs + i);
      }
    }
#pragma unroll
    for (int k = 0; k < kPairsPerThread; ++k) {
      thread_sum += a_pair[k].x * b_pair[k].x + a_pair[k].y * b_pair[k].y;
    }
  }
  if (size % 2 == 1 && blockIdx.x == 0 && threadIdx.x == 0) {
    thread_sum += a[size - 1] * b[size - 1];  // the odd element
  }

  const double sum_of_block = block_sum(thread_sum);
  if (threadIdx.x == 0) atomicAdd(dot, sum_of_block);
}

static std::size_t block_count(std::size_t size) {
  return std::clamp<std::size_t>(ceil_div(size / 2, kTilePairs), 1, kMaxBlocks);
}

void dot_product(const double* d_a, const double* d_b, double* d_dot, std::size_t size,
                 void* /*d_workspace*/, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(block_count(size));
  CUDA_CHECK(cudaMemsetAsync(d_dot, 0, sizeof(double), stream));  // 0.0 has no bit set
  dot_vectorized_kernel<<<blocks, kThreads, 0, stream>>>(d_a, d_b, size, d_dot);
  CUDA_CHECK(cudaGetLastError());
}

SumOrder sum_order(std::size_t size) {
  const std::size_t blocks = block_count(size);
  const std::size_t iterations = ceil_div(ceil_div(size / 2, kTilePairs), blocks);
  // One addition in a pair, one per pair, the last element; 5 + 5 shuffles; the atomic additions.
  return {1 + iterations * kPairsPerThread + 1 + 10 + blocks, false};
}
