// Exercise 2: the largest element
// Bug hunt
//
// The kernel of stage 06, made to find the largest element in place of the sum: wherever it added,
// it now takes the larger one. For random numbers around 0 it is right. But where threads have no
// element, or a place stands empty, something must stand in that changes no result.
//
// TODO: find out for which data the result is wrong, and why. Mend it (1 line).
//
// Goal: right for data of any sign, and for no data at all (maximum.h says what that gives).
// Check:   ./workbook check ch4_ex2
// Look:    ./workbook run ch4_ex2
//
// Predict first: 1000 times the number -3. What does this kernel return, and which thread put it
// there?

#include "maximum.h"

#include "reduction.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

constexpr std::size_t kThreads = 256;       // eight blocks of them fill a multiprocessor
constexpr unsigned kWarps = kThreads / 32;  // at most 32, so that one warp can add up their maxima
constexpr int kPairsPerThread = 4;          // 64 bytes in flight for a thread
constexpr std::size_t kTilePairs = kThreads * kPairsPerThread;  // 16 KB
// Several times what an H200 runs at once (132 x 8): where one block is slow, others take its
// share.
constexpr std::size_t kMaxBlocks = 4096;

constexpr double kIdentity = 0.0;

struct Workspace {
  double maxima[kMaxBlocks];
  unsigned tickets;  // taken so far in this launch; 0 between launches
};
static_assert(sizeof(Workspace) <= kWorkspaceBytes);

// The largest over the warp, in lane 0.
__device__ double warp_maximum(double value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value = fmax(value, __shfl_down_sync(0xffffffff, value, offset));
  }
  return value;
}

// The largest over the block, in thread 0.
__device__ double block_maximum(double value) {
  __shared__ double warp_maxima[kWarps];
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;

  value = warp_maximum(value);
  if (lane == 0) warp_maxima[warp] = value;
  __syncthreads();  // the first warp reads what all warps wrote
  if (warp == 0) value = warp_maximum(lane < kWarps ? warp_maxima[lane] : kIdentity);
  return value;
}

__global__ void maximum_kernel(const double* __restrict__ in, double* largest, std::size_t size,
                               Workspace* workspace) {
  const double2* const pairs = reinterpret_cast<const double2*>(in);
  const std::size_t pair_count = size / 2;

  double thread_maximum = kIdentity;
  for (std::size_t tile = blockIdx.x * kTilePairs; tile < pair_count;
       tile += gridDim.x * kTilePairs) {
    double2 pair[kPairsPerThread];
#pragma unroll
    for (int k = 0; k < kPairsPerThread; ++k) {
      pair[k] = make_double2(kIdentity, kIdentity);  // past the end
      const std::size_t i = tile + k * kThreads + threadIdx.x;
      if (i < pair_count) pair[k] = pairs[i];
    }
#pragma unroll
    for (int k = 0; k < kPairsPerThread; ++k) {
      thread_maximum = fmax(thread_maximum, fmax(pair[k].x, pair[k].y));
    }
  }
  if (size % 2 == 1 && blockIdx.x == 0 && threadIdx.x == 0) {
    thread_maximum = fmax(thread_maximum, in[size - 1]);  // it has no partner
  }

  const double maximum_of_block = block_maximum(thread_maximum);
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    workspace->maxima[blockIdx.x] = maximum_of_block;
    __threadfence();  // whoever sees the ticket taken sees the maximum
    is_last = atomicAdd(&workspace->tickets, 1u) == gridDim.x - 1;
  }
  __syncthreads();  // all threads read what the first one learnt; and warp_maxima is free again
  if (!is_last) return;
  __threadfence();  // the maxima below are at least as new as the ticket

  double of_all = kIdentity;
  for (std::size_t b = threadIdx.x; b < gridDim.x; b += kThreads) {
    of_all = fmax(of_all, workspace->maxima[b]);
  }
  of_all = block_maximum(of_all);
  if (threadIdx.x == 0) {
    *largest = of_all;
    workspace->tickets = 0;  // for the next launch
  }
}

static std::size_t block_count(std::size_t size) {
  return std::clamp<std::size_t>(ceil_div(size / 2, kTilePairs), 1, kMaxBlocks);
}

void maximum(const double* d_in, double* d_maximum, std::size_t size, void* d_workspace,
             cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(block_count(size));
  maximum_kernel<<<blocks, kThreads, 0, stream>>>(d_in, d_maximum, size,
                                                  static_cast<Workspace*>(d_workspace));
  CUDA_CHECK(cudaGetLastError());
}
