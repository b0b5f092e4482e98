// Stage 02: warp shuffles: five steps in registers
//
// __shfl_up_sync returns the value of the lane that is `offset` lanes before this one. Five steps
// scan the 32 elements of a warp, without shared memory and without a barrier. The 32 sums of the
// warps go through shared memory once: the first warp scans them in the same way, and each warp
// adds the sum of all warps before it.
//
// Cost: three barriers per tile instead of 21, and 5249 additions in its scans instead of 9217. The
// loads and stores of global memory do not change, and there is still one block.
// Next: 03_three_kernels.cu.

#include "scan.h"

#include "common/cuda_check.h"

#include <cstddef>

constexpr std::size_t kThreads = 1024;  // and elements of a tile
constexpr unsigned kWarps = kThreads / 32;
static_assert(kWarps == 32);  // so that one warp can scan their sums, one per lane

// The sum of the values of this lane and of all lanes before it.
__device__ int warp_scan(int sum) {
  const unsigned lane = threadIdx.x % 32;
  for (unsigned offset = 1; offset < 32; offset *= 2) {
    const int before = __shfl_up_sync(0xffffffff, sum, offset);
    if (lane >= offset) sum += before;  // the other lanes got their own sum
  }
  return sum;
}

// The sum of the values of this thread and of all threads of the block before it.
__device__ int block_scan(int value) {
  __shared__ int warp_sums[kWarps];
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;

  const int sum = warp_scan(value);
  if (lane == 31) warp_sums[warp] = sum;
  __syncthreads();  // the first warp loads what all warps stored
  if (warp == 0) warp_sums[lane] = warp_scan(warp_sums[lane]);
  __syncthreads();  // all warps load what the first warp stored
  return warp == 0 ? sum : warp_sums[warp - 1] + sum;
}

__global__ void scan_warp_shuffle_kernel(const int* __restrict__ in, int* __restrict__ out,
                                         std::size_t size) {
  __shared__ int total;

  int carry = 0;
  for (std::size_t first = 0; first < size; first += kThreads) {
    const std::size_t i = first + threadIdx.x;
    const int sum = block_scan(i < size ? in[i] : 0);  // all lanes shuffle

    if (i < size) out[i] = carry + sum;
    if (threadIdx.x == kThreads - 1) total = sum;
    __syncthreads();  // all threads load the total
    carry += total;
  }
}

void scan(const int* d_in, int* d_out, std::size_t size, void* /*d_workspace*/,
          cudaStream_t stream) {
  if (size == 0) return;
  scan_warp_shuffle_kernel<<<1, kThreads, 0, stream>>>(d_in, d_out, size);
  CUDA_CHECK(cudaGetLastError());
}
