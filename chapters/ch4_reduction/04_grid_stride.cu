// Stage 04: grid-stride loop: many terms per thread
//
// Each thread first adds terms in a register: the term of its own element, then that of the element
// one grid further on, and so on (the grid-stride loop of chapter 1). 4096 blocks are enough for
// any size, because the loop of each thread covers its share.
//
// Cost: the loads are those of stage 03. Each block exchanges once for all terms of its
// threads, and there are at most 4096 atomic additions. Next: 05_vectorized.cu.

#include "reduction.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <algorithm>
#include <cstddef>

constexpr std::size_t kThreads = 1024;
constexpr unsigned kWarps = kThreads / 32;
static_assert(kWarps == 32);  // so that one warp can add their sums, one per lane
// Many times the blocks that an H200 runs at once (132 x 2): other SMs continue if one is slow.
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
  if (warp == 0) value = warp_sum(warp_sums[lane]);
  return value;
}

__global__ void log_likelihood_grid_stride_kernel(const double* __restrict__ in, double* sum,
                                                  std::size_t size) {
  double thread_sum = 0.0;  // a thread without an element adds 0: all lanes shuffle
  for (std::size_t i = blockIdx.x * kThreads + threadIdx.x; i < size; i += gridDim.x * kThreads) {
    thread_sum += log_density(in[i]);
  }

  const double sum_of_block = block_sum(thread_sum);
  if (threadIdx.x == 0) atomicAdd(sum, sum_of_block);
}

static std::size_t block_count(std::size_t size) {
  return std::clamp<std::size_t>(ceil_div(size, kThreads), 1, kMaxBlocks);
}

void log_likelihood(const double* d_in, double* d_sum, std::size_t size, void* /*d_workspace*/,
                    cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(block_count(size));
  CUDA_CHECK(cudaMemsetAsync(d_sum, 0, sizeof(double), stream));  // 0.0 has no bit set
  log_likelihood_grid_stride_kernel<<<blocks, kThreads, 0, stream>>>(d_in, d_sum, size);
  CUDA_CHECK(cudaGetLastError());
}

SumOrder sum_order(std::size_t size) {
  const std::size_t blocks = block_count(size);
  const std::size_t iterations = ceil_div(ceil_div(size, kThreads), blocks);
  return {iterations + 10 + blocks, false};  // a thread's terms, the shuffles, the atomic additions
}
