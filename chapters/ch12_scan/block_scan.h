#pragma once

// The scans of a warp and of a block of 1024 threads, as in 02_warp_shuffle.cu, for the stages and
// exercises after it.

// The sum of the values of this lane and of all lanes before it.
__device__ inline int warp_scan(int sum) {
  const unsigned lane = threadIdx.x % 32;
  for (unsigned offset = 1; offset < 32; offset *= 2) {
    const int before = __shfl_up_sync(0xffffffff, sum, offset);
    if (lane >= offset) sum += before;  // the other lanes got their own sum
  }
  return sum;
}

// The sum of the values of this thread and of all threads of the block before it. All 1024 threads
// of the block call it; between two calls there must be a barrier.
__device__ inline int block_scan(int value) {
  __shared__ int warp_sums[32];
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;

  const int sum = warp_scan(value);
  if (lane == 31) warp_sums[warp] = sum;
  __syncthreads();  // the first warp loads what all warps stored
  if (warp == 0) warp_sums[lane] = warp_scan(warp_sums[lane]);
  __syncthreads();  // all warps load what the first warp stored
  return warp == 0 ? sum : warp_sums[warp - 1] + sum;
}
