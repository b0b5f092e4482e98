// Stage 05: one kernel: a chain of tiles
//
// Each tile waits for the sum of all tiles before it, adds its own, and hands the result on: the
// flag of a tile says that its sum has been stored. The flag is stored with release and loaded with
// acquire, so a thread that has seen the flag sees the sum too.
//
// A block may only wait for a block that has started. So the blocks are numbered as they start, by
// a ticket: the tiles before a block's own belong to blocks that run or have ended.
//
// Cost: two times `size` elements move, the minimum, and a sum and a flag for each tile. But the
// sums pass through all tiles, one after the other. Next: 06_look_back.cu.

#include "scan.h"

#include "block_scan.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cuda/atomic>

#include <cstddef>

constexpr std::size_t kThreads = 1024;  // and elements of a tile

// In the workspace: the ticket, and for each tile its flag and the sum of all tiles up to it.
struct Link {
  int flag, sum;
};

template <typename T>
using AtomicRef = cuda::atomic_ref<T, cuda::thread_scope_device>;

// One thread: returns the sum of all tiles before this one, and hands on the sum up to it.
__device__ int pass_on(Link* links, unsigned tile, int tile_sum) {
  int before = 0;
  if (tile > 0) {
    Link& previous = links[tile - 1];
    while (AtomicRef<int>(previous.flag).load(cuda::memory_order_acquire) == 0) {
    }
    before = previous.sum;
  }
  links[tile].sum = before + tile_sum;
  AtomicRef<int>(links[tile].flag).store(1, cuda::memory_order_release);
  return before;
}

__global__ void scan_chained_kernel(const int* __restrict__ in, int* __restrict__ out,
                                    std::size_t size, unsigned* ticket, Link* links) {
  __shared__ unsigned tile;
  __shared__ int before;

  if (threadIdx.x == 0)
    tile = AtomicRef<unsigned>(*ticket).fetch_add(1, cuda::memory_order_relaxed);
  __syncthreads();
  const std::size_t i = tile * kThreads + threadIdx.x;
  const int sum = block_scan(i < size ? in[i] : 0);  // no early return: all lanes shuffle

  if (threadIdx.x == kThreads - 1) before = pass_on(links, tile, sum);
  __syncthreads();
  if (i < size) out[i] = before + sum;
}

void scan(const int* d_in, int* d_out, std::size_t size, void* d_workspace, cudaStream_t stream) {
  if (size == 0) return;
  const unsigned tiles = ceil_div(size, kThreads);
  Link* const d_links = static_cast<Link*>(d_workspace);
  unsigned* const d_ticket = reinterpret_cast<unsigned*>(d_links + tiles);
  CUDA_CHECK(cudaMemsetAsync(d_workspace, 0, tiles * sizeof(Link) + sizeof(unsigned), stream));
  scan_chained_kernel<<<tiles, kThreads, 0, stream>>>(d_in, d_out, size, d_ticket, d_links);
  CUDA_CHECK(cudaGetLastError());
}
