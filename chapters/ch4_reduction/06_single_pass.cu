// Stage 06: single pass: the last block finishes; deterministic
//
// Each block stores its sum in its own slot of the workspace and takes a ticket. When a block takes
// the last ticket, all sums are in the workspace, and this block adds them in the order of the
// block indices. The result is deterministic: the order of the additions depends only on `size`, so
// the sum is bitwise identical in every run and on every GPU.
//
// This finish needs two fences: the sum of a block must be visible before its ticket is taken, and
// the last block must not read sums that are older than its ticket. Thread 0 executes both fences,
// next to its atomic operation; the barrier after them extends their effect to the whole block.
//
// Cost: the loads of stage 05, a store of 8 bytes per block, and at most 4096 loads at the end. One
// launch, no memset: the last block sets the ticket counter back to 0. Next: 07_cub.cu.

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

__global__ void log_likelihood_single_pass_kernel(const double* __restrict__ in, double* sum,
                                                  std::size_t size, Workspace* workspace) {
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
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    workspace->sums[blockIdx.x] = sum_of_block;
    __threadfence();  // a block that sees this ticket also sees the sum
    is_last = atomicAdd(&workspace->tickets, 1u) == gridDim.x - 1;
    __threadfence();  // the sums read below are at least as new as the ticket
  }
  __syncthreads();  // all threads read is_last; and warp_sums is free again
  if (!is_last) return;

  double total = 0.0;
  for (std::size_t b = threadIdx.x; b < gridDim.x; b += kThreads) total += workspace->sums[b];
  total = block_sum(total);
  if (threadIdx.x == 0) {
    *sum = total;
    workspace->tickets = 0;  // for the next launch
  }
}

static std::size_t block_count(std::size_t size) {
  return std::clamp<std::size_t>(ceil_div(size / 2, kTilePairs), 1, kMaxBlocks);
}

void log_likelihood(const double* d_in, double* d_sum, std::size_t size, void* d_workspace,
                    cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(block_count(size));
  log_likelihood_single_pass_kernel<<<blocks, kThreads, 0, stream>>>(
      d_in, d_sum, size, static_cast<Workspace*>(d_workspace));
  CUDA_CHECK(cudaGetLastError());
}

SumOrder sum_order(std::size_t size) {
  const std::size_t blocks = block_count(size);
  const std::size_t iterations = ceil_div(ceil_div(size / 2, kTilePairs), blocks);
  // 1 within a pair, 1 per pair, 1 for the last element; 5 + 4 shuffles; then, in the last block,
  // the sums of a thread, and 9 shuffles.
  return {1 + iterations * kPairsPerThread + 1 + 9 + ceil_div(blocks, kThreads) + 9, true};
}
