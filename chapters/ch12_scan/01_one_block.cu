// Stage 01: one block: Hillis and Steele's scan in shared memory
//
// One block walks over the array in tiles of 1024 elements, one element per thread. In ten steps
// each thread adds the sum that the thread `offset` places before it has, for offsets of 1, 2, 4,
// ..., 512. After the step with offset d a sum has up to 2 d elements; after the last one it has
// all elements of the tile up to its own. The carry is the sum of all tiles before this one.
//
// Cost: 21 barriers per tile. The ten steps execute 9217 additions for 1024 elements, where a loop
// needs 1023. A GPU runs one block on one multiprocessor, so all others have no work.
// Source: W. D. Hillis and G. L. Steele, Data parallel algorithms, CACM 29 (12), 1986.
// Next: 02_warp_shuffle.cu.

#include "scan.h"

#include "common/cuda_check.h"

#include <cstddef>

constexpr std::size_t kThreads = 1024;  // and elements of a tile

__global__ void scan_one_block_kernel(const int* __restrict__ in, int* __restrict__ out,
                                      std::size_t size) {
  __shared__ int sums[kThreads];
  __shared__ int total;

  int carry = 0;
  for (std::size_t first = 0; first < size; first += kThreads) {
    const std::size_t i = first + threadIdx.x;
    int sum = i < size ? in[i] : 0;  // 0 adds nothing to a sum

    for (unsigned offset = 1; offset < kThreads; offset *= 2) {
      sums[threadIdx.x] = sum;
      __syncthreads();  // below, a thread loads a sum that another thread stored
      if (threadIdx.x >= offset) sum += sums[threadIdx.x - offset];
      __syncthreads();  // the next step overwrites the sums
    }

    if (i < size) out[i] = carry + sum;
    if (threadIdx.x == kThreads - 1) total = sum;
    __syncthreads();  // all threads load the total
    carry += total;
  }
}

void scan(const int* d_in, int* d_out, std::size_t size, void* /*d_workspace*/,
          cudaStream_t stream) {
  if (size == 0) return;
  scan_one_block_kernel<<<1, kThreads, 0, stream>>>(d_in, d_out, size);
  CUDA_CHECK(cudaGetLastError());
}
