// Stage 06: single pass
//
// A block stores its sum in its own slot of the workspace and takes a ticket. The block that takes
// the last ticket finds all sums stored, and adds them in the order of the blocks. So the
// finish is on the GPU, as in stage 03, and in a fixed order, as in stage 01.
//
// This finish needs two fences: a block's sum must be visible before its ticket is taken, and the
// last block must not read sums that are older than its ticket. Thread 0 executes both fences, next
// to its atomic operation; the barrier after them extends their effect to the whole block.
//
// Cost: stage 05's loads, a store of 8 bytes per block, and at most 4096 loads in the end. One
// launch, no memset: the last block resets the ticket counter to 0. Next: 07_cublas.cu.

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

struct Workspace {
  double sums[kMaxBlocks];
  unsigned tickets;  // taken so far in this launch; 0 between launches
};
static_assert(sizeof(Workspace) <= kWorkspaceBytes);

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

__global__ void dot_single_pass_kernel(const double* __restrict__ a, const double* __restrict__ b,
                                       std::size_t size, double* dot, Workspace* workspace) {
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
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    workspace->sums[blockIdx.x] = sum_of_block;
    __threadfence();  // a block that sees the ticket sees the sum
    is_last = atomicAdd(&workspace->tickets, 1u) == gridDim.x - 1;
    __threadfence();  // the sums read below are at least as new as the ticket
  }
  __syncthreads();  // all threads read is_last; warp_sums is free again
  if (!is_last) return;

  double total = 0.0;
  for (std::size_t block = threadIdx.x; block < gridDim.x; block += kThreads) {
    total += workspace->sums[block];
  }
  total = block_sum(total);
  if (threadIdx.x == 0) {
    *dot = total;
    workspace->tickets = 0;  // for the next launch
  }
}

static std::size_t block_count(std::size_t size) {
  return std::clamp<std::size_t>(ceil_div(size / 2, kTilePairs), 1, kMaxBlocks);
}

void dot_product(const double* d_a, const double* d_b, double* d_dot, std::size_t size,
                 void* d_workspace, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(block_count(size));
  dot_single_pass_kernel<<<blocks, kThreads, 0, stream>>>(d_a, d_b, size, d_dot,
                                                          static_cast<Workspace*>(d_workspace));
  CUDA_CHECK(cudaGetLastError());
}

SumOrder sum_order(std::size_t size) {
  const std::size_t blocks = block_count(size);
  const std::size_t iterations = ceil_div(ceil_div(size / 2, kTilePairs), blocks);
  // One addition in a pair, one per pair, the last element; 5 + 5 shuffles; then, in the last
  // block, the sums of a thread, and 10 shuffles.
  return {1 + iterations * kPairsPerThread + 1 + 10 + ceil_div(blocks, kThreads) + 10, true};
}
