#pragma once

#include "many_gpus.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <algorithm>
#include <cstddef>

// The dot product of one GPU's share: chapter 5's single pass, with 16-byte loads and a last block
// that adds the sums of all blocks. The stages of this chapter differ in their work after it.

constexpr std::size_t kShareThreads = 512;
constexpr unsigned kShareWarps = kShareThreads / 32;
constexpr int kPairsPerThread = 2;  // per vector: 64 bytes in flight per thread
constexpr std::size_t kTilePairs = kShareThreads * kPairsPerThread;
constexpr std::size_t kMaxBlocks = 4096;  // several times as many as an H200 runs at once (132 x 4)

// The beginning of the workspace; a stage's own data follows.
struct ShareWorkspace {
  double block_sums[kMaxBlocks];
  unsigned tickets;  // tickets taken in this launch; 0 between launches
  double sum;        // the sum of the share
};

// Returns the sum over the block in thread 0.
static __device__ double share_block_sum(double value) {
  __shared__ double warp_sums[kShareWarps];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_down_sync(0xffffffff, value, offset);
  }
  if (lane == 0) warp_sums[warp] = value;
  __syncthreads();  // the first warp reads the sums of all warps
  if (warp > 0) return 0.0;
  value = lane < kShareWarps ? warp_sums[lane] : 0.0;
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_down_sync(0xffffffff, value, offset);
  }
  return value;
}

static __global__ void share_dot_kernel(const double* __restrict__ a, const double* __restrict__ b,
                                        std::size_t size, double* sum, ShareWorkspace* workspace) {
  const double2* const a_pairs = reinterpret_cast<const double2*>(a);
  const double2* const b_pairs = reinterpret_cast<const double2*>(b);
  const std::size_t pair_count = size / 2;

  double thread_sum = 0.0;
  for (std::size_t tile = blockIdx.x * kTilePairs; tile < pair_count;
       tile += gridDim.x * kTilePairs) {
    double2 a_pair[kPairsPerThread] = {}, b_pair[kPairsPerThread] = {};  // past the end: 0 * 0
#pragma unroll
    for (int k = 0; k < kPairsPerThread; ++k) {
      const std::size_t i = tile + k * kShareThreads + threadIdx.x;
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
    thread_sum += a[size - 1] * b[size - 1];  // the last element if size is odd
  }

  const double block_sum = share_block_sum(thread_sum);
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    workspace->block_sums[blockIdx.x] = block_sum;
    __threadfence();  // a block that sees the ticket also sees the sum
    is_last = atomicAdd(&workspace->tickets, 1u) == gridDim.x - 1;
    __threadfence();  // the sums read below are at least as new as the ticket
  }
  __syncthreads();  // all threads read the result of the first thread
  if (!is_last) return;

  double total = 0.0;
  for (std::size_t block = threadIdx.x; block < gridDim.x; block += kShareThreads) {
    total += workspace->block_sums[block];
  }
  total = share_block_sum(total);
  if (threadIdx.x == 0) {
    *sum = total;
    workspace->tickets = 0;  // for the next launch
  }
}

// Queues *d_sum = the sum of a[i] * b[i] over `size` elements, which are all on the current device;
// 0 if size is 0. d_a and d_b are aligned to 16 bytes.
inline void queue_share_dot(const double* d_a, const double* d_b, std::size_t size, double* d_sum,
                            void* d_workspace, cudaStream_t stream) {
  const std::size_t blocks = std::clamp<std::size_t>(ceil_div(size / 2, kTilePairs), 1, kMaxBlocks);
  share_dot_kernel<<<static_cast<unsigned>(blocks), kShareThreads, 0, stream>>>(
      d_a, d_b, size, d_sum, static_cast<ShareWorkspace*>(d_workspace));
  CUDA_CHECK(cudaGetLastError());
}

// The address of the sum of a share, in that GPU's memory.
inline double* share_sum(const Share& share) {
  return &static_cast<ShareWorkspace*>(share.d_workspace)->sum;
}
