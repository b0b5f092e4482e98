// Exercise 3: three sums in one pass (20 minutes)
//
// How similar are two vectors? The cosine of the angle between them is a.b / sqrt(a.a * b.b). Three
// calls of a library's dot product are enough, but together they read four vectors. One pass can
// compute all three sums, because each element is in a register already. This is stage 06 with room
// for three sums; so far it accumulates only the first sum.
//
// Goal: the cosine of two vectors, with the loads of stage 06 and no additional loads.
// Check:   ./workbook check ch5_ex3
// Run:     ./workbook run ch5_ex3
//
// Predict first: three calls read 32 bytes per element. One pass reads 16, with three times the
// arithmetic of stage 06. What is the time of your kernel, divided by the time of stage 06?

#include "cosine.h"
#include "dot_product.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <algorithm>
#include <cstddef>

constexpr std::size_t kThreads = 512;       // four such blocks fill a multiprocessor
constexpr unsigned kWarps = kThreads / 32;  // at most 32, so that one warp can add their sums
constexpr int kPairsPerThread = 2;          // of each vector: 64 bytes in flight per thread
constexpr std::size_t kTilePairs = kThreads * kPairsPerThread;  // 16 KB of each vector
// Twice the blocks that an H200 runs at once (132 x 4): other SMs continue if one is slow.
constexpr std::size_t kMaxBlocks = 1024;

struct Sums {
  double ab, aa, bb;
};

struct Workspace {
  Sums sums[kMaxBlocks];
  unsigned tickets;  // taken so far in this launch; 0 between launches
};
static_assert(sizeof(Workspace) <= kWorkspaceBytes);

// The sums over the warp, in lane 0.
__device__ Sums warp_sum(Sums value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value.ab += __shfl_down_sync(0xffffffff, value.ab, offset);
    // TODO: the other two sums (2 lines).
  }
  return value;
}

// The sums over the block, in thread 0.
__device__ Sums block_sum(Sums value) {
  __shared__ Sums warp_sums[kWarps];
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;

  value = warp_sum(value);
  if (lane == 0) warp_sums[warp] = value;
  __syncthreads();  // the first warp reads what all warps wrote
  if (warp == 0) value = warp_sum(lane < kWarps ? warp_sums[lane] : Sums{});
  return value;
}

// Adds the products of one element.
__device__ void add_element(Sums& sums, double a, double b) {
  sums.ab += a * b;
  // TODO: add the squares of both elements (2 lines).
}

__global__ void cosine_kernel(const double* __restrict__ a, const double* __restrict__ b,
                              std::size_t size, double* cosine, Workspace* workspace) {
  const double2* const a_pairs = reinterpret_cast<const double2*>(a);
  const double2* const b_pairs = reinterpret_cast<const double2*>(b);
  const std::size_t pair_count = size / 2;

  Sums thread_sum{};
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
      add_element(thread_sum, a_pair[k].x, b_pair[k].x);
      add_element(thread_sum, a_pair[k].y, b_pair[k].y);
    }
  }
  if (size % 2 == 1 && blockIdx.x == 0 && threadIdx.x == 0) {
    add_element(thread_sum, a[size - 1], b[size - 1]);  // the odd element
  }

  const Sums sum_of_block = block_sum(thread_sum);
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    workspace->sums[blockIdx.x] = sum_of_block;
    __threadfence();  // a block that sees the ticket sees the sum
    is_last = atomicAdd(&workspace->tickets, 1u) == gridDim.x - 1;
    __threadfence();  // the sums read below are at least as new as the ticket
  }
  __syncthreads();  // all threads read is_last; warp_sums is free again
  if (!is_last) return;

  Sums total{};
  for (std::size_t block = threadIdx.x; block < gridDim.x; block += kThreads) {
    total.ab += workspace->sums[block].ab;
    // TODO: the other two sums (2 lines).
  }
  total = block_sum(total);
  if (threadIdx.x == 0) {
    const double lengths = sqrt(total.aa) * sqrt(total.bb);
    *cosine = lengths == 0.0 ? 0.0 : total.ab / lengths;
    workspace->tickets = 0;  // for the next launch
  }
}

static std::size_t block_count(std::size_t size) {
  return std::clamp<std::size_t>(ceil_div(size / 2, kTilePairs), 1, kMaxBlocks);
}

void cosine_similarity(const double* d_a, const double* d_b, double* d_cosine, std::size_t size,
                       void* d_workspace, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(block_count(size));
  cosine_kernel<<<blocks, kThreads, 0, stream>>>(d_a, d_b, size, d_cosine,
                                                 static_cast<Workspace*>(d_workspace));
  CUDA_CHECK(cudaGetLastError());
}

SumOrder sum_order(std::size_t size) {
  const std::size_t blocks = block_count(size);
  const std::size_t iterations = ceil_div(ceil_div(size / 2, kTilePairs), blocks);
  // Two additions per pair, the last element; 5 + 5 shuffles; then, in the last block, the sums of
  // a thread, and 10 shuffles.
  return {2 * iterations * kPairsPerThread + 1 + 10 + ceil_div(blocks, kThreads) + 10, true};
}
